//! A sum of multiples of points in a program that is built on another CUDA library: on cudarc's
//! stream, of points and scalars in cudarc's memory. Nothing is copied, and nothing waits but the end.
//!
//! `cargo run --release --features cuda --example cudarc_msm`

use std::error::Error;

use blstrs::{G1Projective, Scalar};
use cudarc::driver::{CudaContext, DevicePtr as _};
use ff::Field as _;
use group::Group as _;
use rand_core::OsRng;
use warpfield::curve::{CurveGroup as _, G1, write_points};
use warpfield::gpu::{Device, DeviceSlice, Kind, Module, Stream};
use warpfield::msm::gpu::{Bases, Msm, Scalars};
use warpfield::ptx;

const TERMS: usize = 1 << 14;

fn main() -> Result<(), Box<dyn Error>> {
    // The device first: without a driver it is an error that says so, where cudarc panics.
    let device = match Device::cuda(0) {
        Err(error) if error.kind() == Kind::Unavailable => {
            println!("nothing to run on: {error}");
            return Ok(());
        }
        device => device?,
    };
    let msm = Msm::<G1>::new(&device, &Module::load(&device, ptx::MODULE)?)?;
    let workspace = msm.workspace(msm.plan(TERMS)?)?;

    // The program's own: the context, which is the device's primary one for both, a stream, memory.
    let theirs = CudaContext::new(0)?.new_stream()?;
    let points: Vec<_> =
        (1..=TERMS as u64).map(|i| G1Projective::generator() * Scalar::from(i)).collect();
    let affine: Vec<_> = points.iter().map(G1::to_affine).collect();
    let scalars: Vec<_> = (0..TERMS).map(|_| Scalar::random(OsRng)).collect();
    let integers: Vec<u8> = scalars.iter().flat_map(Scalar::to_bytes_le).collect();
    let point_memory = theirs.clone_htod(&write_points::<G1>(&affine))?;
    let scalar_memory = theirs.clone_htod(&integers)?;

    // The same stream and memory as warpfield knows them. cudarc's guards say until when they are used.
    let (points_at, _points_guard) = point_memory.device_ptr(&theirs);
    let (scalars_at, _scalars_guard) = scalar_memory.device_ptr(&theirs);
    // SAFETY: all are of the device's primary context, of so many values, and outlive these handles
    // and the sum.
    let (stream, bases, integers) = unsafe {
        (
            Stream::from_raw(&device, theirs.cu_stream().cast()),
            DeviceSlice::from_raw_parts(&device, points_at, TERMS),
            DeviceSlice::from_raw_parts(&device, scalars_at, TERMS),
        )
    };
    let running = msm.run(&stream, workspace, &Bases::new(bases)?, Scalars::Integers(&integers))?;
    // What the program queues on its stream from here on comes behind the sum.
    let (sum, _workspace) = running.wait()?;

    assert_eq!(sum, G1Projective::multi_exp(&points, &scalars), "the sum by blst");
    println!("{TERMS} terms on {}: the sum is blst's", device.info().name);
    Ok(())
}
