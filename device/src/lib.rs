//! Kernels of warpfield and the types that host and device share.
#![no_std]
