#!/bin/sh
# Passes all tests, on a fresh machine with Rust: brings what they need, then runs them.
#
#   - the source of Rust's `core` for the kernels (scripts/rust-src.sh);
#   - node and npm for circom and snarkjs: on Debian and its kin, as root, by apt-get; elsewhere they
#     must be there;
#   - circom and snarkjs themselves, at the versions of tests/interop/package-lock.json.
#
# Arguments go to `cargo test`.
set -eu
cd "$(dirname "$0")/.."

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo 'test: node (18 or newer) and npm are needed; install them and run this again' >&2
        exit 1
    fi
    echo 'test: installing nodejs and npm by apt-get'
    apt-get -q update && apt-get -qy --no-install-recommends install nodejs npm
fi
scripts/rust-src.sh
npm --prefix tests/interop ci --no-progress
exec cargo test --workspace --features ptx,test-kernels,metrics "$@"
