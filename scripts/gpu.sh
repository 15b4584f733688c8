#!/bin/sh
# What needs a GPU: the tests on one, and the tables of the README. Builds here, and runs there: on a
# machine with an NVIDIA driver and perhaps no Rust.
#
# Usage: scripts/gpu.sh build DIR      builds the programs into DIR, with this script
#        DIR/gpu.sh test               runs the tests on the first GPU
#        DIR/gpu.sh bench              prints the tables
#        DIR/gpu.sh sanitize           runs tests under compute-sanitizer: memory, then races
#
# The driver compiles the kernels for the GPU when they are first loaded, which takes half a minute for
# those of the tests; it keeps them (CUDA_CACHE_PATH says where).
set -eu

fail() {
    printf 'gpu: %s\n' "$*" >&2
    exit 2
}

tests='agreement kernels gpu ntt msm partition soak'

build() {
    [ $# -eq 1 ] || fail "usage: $0 build DIR"
    mkdir -p "$1"
    to=$(cd "$1" && pwd)
    cd "$(dirname "$0")/.."
    scripts/rust-src.sh
    target=${CARGO_TARGET_DIR:-target}
    # The program twice: kernels of single operations are for `bench field`, and take long to load.
    cargo build --release --features cuda,test-kernels
    strip -o "$to/warpfield-field" "$target/release/warpfield"
    for test in $tests; do
        # Cargo tells where it put the program.
        program=$(cargo test --no-run --features cuda,test-kernels --test "$test" 2>&1 |
            sed -n "s/.*Executable tests\/$test.* (\(.*\))/\1/p")
        [ -n "$program" ] || fail "no program of the test $test"
        strip -o "$to/test-$test" "$program"
    done
    cargo build --release --features cuda --bin warpfield --example cudarc_msm
    strip -o "$to/warpfield" "$target/release/warpfield"
    strip -o "$to/cudarc_msm" "$target/release/examples/cudarc_msm"
    cp scripts/gpu.sh "$to/gpu.sh"
}

run_tests() {
    failed=''
    for test in $tests; do
        printf '== %s\n' "$test"
        WARPFIELD_TEST_DEVICE=cuda "$here/test-$test" || failed="$failed $test"
    done
    printf '== cudarc_msm\n'
    "$here/cudarc_msm" || failed="$failed cudarc_msm"
    printf '== faults\n'
    (faults) || failed="$failed faults"
    [ -z "$failed" ] || fail "failed:$failed"
}

# What only a GPU shows: a kernel that traps takes the GPU from the process, and the next proof still comes as
# --on-device-error says; devices and memory that are not there are told of.
faults() {
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    program=$here/warpfield-field
    "$program" --quiet demo --dir "$folder/demo"
    for name in 1 2 3; do
        cp "$folder/demo/witness.wtns" "$folder/$name.wtns"
    done
    # prove OUT OPTION…
    prove() {
        out=$folder/$1
        shift
        "$program" prove "$folder/demo/key.zkey" --seed 01 --out-dir "$out" "$@" "$folder"/[123].wtns
    }
    # fails WHAT OUT OPTION…
    fails() {
        what=$1
        shift
        if prove "$@"; then fail "$what went unnoticed"; fi
    }
    prove cpu || fail 'no proofs by the CPU'
    fails 'a trap' trapped --device cuda --trap-before 1
    for what in cpu retry; do
        prove "by-$what" --device cuda --trap-before 1 --on-device-error "$what" || fail "no proofs by $what"
        diff -r "$folder/cpu" "$folder/by-$what" || fail "other proofs by $what"
    done
    fails 'a device that is not there' none --device cuda:99
    fails 'too little memory' none --device cuda --vram 1K
    # No device is visible then.
    export CUDA_VISIBLE_DEVICES=
    "$program" devices || fail 'it cannot tell that there is no device'
    fails 'a hidden device' none --device cuda
    prove hidden --device cuda --on-device-error cpu || fail 'no proofs by the CPU for a hidden device'
}

bench() {
    "$here/warpfield" devices
    "$here/warpfield-field" bench field
    "$here/warpfield" bench ntt --log-size 16,18,20,22,24,26
    "$here/warpfield" bench msm --log-size 16,18,20,22,24,26
    "$here/warpfield" bench msm --log-size 16,18,20,22,24 --tables all
    "$here/warpfield" bench msm --log-size 16,18,20,22 --group g2
    "$here/warpfield" bench msm --log-size 16,18,20,22 --group g2 --tables all
    "$here/warpfield" bench prove --device cuda --constraints '2^20,2^22'
    "$here/warpfield" bench prove --device cuda --constraints '2^20,2^22' --tables all
    "$here/warpfield" bench locks --device cuda --constraints '2^20'
}

# Both tools make kernels slower by hundreds of times: they take the shorter tests.
sanitize() {
    command -v compute-sanitizer >/dev/null || fail 'compute-sanitizer is missing: it is part of the CUDA toolkit'
    sanitized memcheck ntt
    sanitized memcheck msm --skip the_same_many_times
    sanitized memcheck partition
    sanitized racecheck ntt drawn a_whole missing on_others
    sanitized racecheck msm digits:: lengths::lengths scan:: foreign
    sanitized racecheck partition real_circuit streamed::steps
}

# sanitized TOOL TEST FILTER…
sanitized() {
    tool=$1 test=$2
    shift 2
    printf '== %s %s\n' "$tool" "$test"
    WARPFIELD_TEST_DEVICE=cuda compute-sanitizer --tool "$tool" --error-exitcode 1 \
        "$here/test-$test" --test-threads 1 "$@"
}

here=$(cd "$(dirname "$0")" && pwd)
command=${1-}
[ $# -eq 0 ] || shift
case "$command" in
    build) build "$@" ;;
    test) run_tests ;;
    bench) bench ;;
    sanitize) sanitize ;;
    *) fail "usage: $0 build DIR, or DIR/gpu.sh test, bench or sanitize" ;;
esac
