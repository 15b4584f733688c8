//! Runs circom and snarkjs, which `npm ci` in this folder installs at the locked versions.
