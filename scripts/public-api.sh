#!/bin/sh
# Lists what is public in each published crate, a line an item, in docs/api/CRATE.txt. What a change means for users is
# then seen in its difference; versions follow semver by it.
#
# Usage: scripts/public-api.sh           writes the lists
#        scripts/public-api.sh --check   prints how the lists differ from the sources, and fails if they do
#
# Before a release, and after a change of what is public. Takes no GPU, no CUDA and no kernels: the documentation is
# built as docs.rs does it. rustdoc's JSON is not stable yet, hence RUSTC_BOOTSTRAP, and a reader of just its version
# in scripts/public-api.
set -eu
cd "$(dirname "$0")/.."

usage() {
    echo "usage: $0 [--check]" >&2
    exit 2
}
[ $# -le 1 ] || usage
case "${1-}" in
    '') check=no ;;
    --check) check=yes ;;
    *) usage ;;
esac

# A folder of its own: what is built with other variables set would be built anew.
target=${CARGO_TARGET_DIR:-$PWD/target}/public-api
new=$(mktemp)
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM
reader() {
    cargo run --quiet --locked --manifest-path scripts/public-api/Cargo.toml --target-dir "$target" -- "$1"
}

different=''
# list CRATE FEATURES: the features are those of its documentation on docs.rs.
list() {
    RUSTC_BOOTSTRAP=1 DOCS_RS=1 cargo rustdoc --quiet --locked --target-dir "$target" -p "$1" --lib --features "$2" \
        -- -Z unstable-options --output-format json
    reader "$target/doc/$(printf %s "$1" | tr - _).json" >"$new"
    if [ "$check" = no ]; then
        cat "$new" >"docs/api/$1.txt"
    else
        diff -u --label "docs/api/$1.txt" --label "the sources of $1" "docs/api/$1.txt" "$new" || different="$different $1"
    fi
}
list warpfield cuda,metrics
list warpfield-device proptest
list ptx-emulator ''

if [ -n "$different" ]; then
    echo "public-api: changed:$different; $0 writes the lists anew" >&2
    exit 1
fi
