#!/bin/sh
# Fuzzes the readers of files, each target of fuzz/ in turn; see fuzz/README.md.
#
# Works with the pinned Rust, which is told to allow libFuzzer's instrumentation, and brings cargo-fuzz
# where it is not there. What the fuzzers find worth keeping stays in fuzz/target/corpus,
# from which the next run goes on; the corpus in the repository is only read. Stops at the first
# input that fails, which is then in fuzz/artifacts.
#
# Usage: scripts/fuzz.sh [SECONDS a target, 60 by default] [TARGET...]
set -eu
cd "$(dirname "$0")/../fuzz"

seconds=${1:-60}
[ $# = 0 ] || shift
command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz
# shellcheck disable=SC2046 # names have no spaces
[ $# != 0 ] || set -- $(cargo fuzz list)

# The instrumentation is a flag that only nightly takes otherwise; the library itself is built as ever.
export RUSTC_BOOTSTRAP=1
# Threads of rayon's would only wait, with inputs of this size.
export RAYON_NUM_THREADS=1
for target; do
    echo "fuzz: $target for $seconds s"
    mkdir -p "target/corpus/$target"
    cargo fuzz run "$target" "target/corpus/$target" "corpus/$target" -- \
        -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048
done
