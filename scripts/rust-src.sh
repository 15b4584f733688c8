#!/bin/sh
# Finds the source of Rust's standard library for the compiler in use, or brings it.
#
# The build of the kernels (feature `ptx`) compiles `core` for the GPU, and so needs core's source
# in exactly the compiler's version. This script looks where build.rs looks and stops if it is
# there. Otherwise:
#
#   - on Debian and its kin, it takes Debian's package rust-src of that version and unpacks it to
#     the user's cache; nothing is installed, and neither the toolchain nor apt's state changes;
#   - elsewhere, or with --rustup, it runs `rustup component add rust-src`.
#
# The source goes to a cache and not into the toolchain's folder, where rustup would later find
# files that it did not put there and refuse to add its own component.
#
# Usage: scripts/rust-src.sh [--rustup]
set -eu

say() { printf 'rust-src: %s\n' "$*"; }
fail() {
    printf 'rust-src: %s\n' "$*" >&2
    exit 1
}

use_rustup=no
case "${1-}" in
    '') ;;
    --rustup) use_rustup=yes ;;
    *) fail "unknown argument '$1' (usage: $0 [--rustup])" ;;
esac

cd "$(dirname "$0")/.." # rust-toolchain.toml picks the compiler
rustc=${RUSTC:-rustc}
version=$($rustc --version 2>/dev/null | cut -d' ' -f2) || true
[ -n "$version" ] || fail "cannot run '$rustc'"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/warpfield/rust-src-$version

for library in "$($rustc --print sysroot)/lib/rustlib/src/rust/library" "$cache/library"; do
    if [ -f "$library/core/src/lib.rs" ]; then
        say "the source of Rust $version is at $library"
        exit 0
    fi
done

if [ "$use_rustup" = yes ] || [ ! -e /etc/debian_version ]; then
    command -v rustup >/dev/null || fail "no rustup here; put Rust's library/ $version in $cache"
    say "running: rustup component add rust-src"
    exec rustup component add rust-src
fi

# Debian. The suites that may hold the version, newest stable first.
suites='trixie-backports trixie forky sid'
for tool in apt-get dpkg-deb; do
    command -v $tool >/dev/null || fail "$tool is missing; try: $0 --rustup"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
# apt fetches as a user of its own, which must reach the folder.
chmod 755 "$work"
mkdir -p "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"

# The mirror and the keyring are those of this machine's own entry for Debian; entries for its
# security archive, which has no such suite, are passed over.
entry_from_sources() {
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk '
        function flush() {
            if (uris != "" && types ~ /deb/ && uris !~ /security/ && components ~ /main/)
                { print uris; print keyring; found = 1; exit }
            uris = keyring = types = components = ""
        }
        /^[[:space:]]*$/ { flush(); next }
        /^#/ { next }
        tolower($1) == "types:" { types = $0 }
        tolower($1) == "uris:" { uris = $2 }
        tolower($1) == "components:" { components = $0 }
        tolower($1) == "signed-by:" { keyring = $2 }
        END { if (!found) flush() }'
}
entry_from_list() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | awk '
        $1 != "deb" { next }
        {
            keyring = ""
            rest = $0
            if (match(rest, /\[[^]]*\]/)) {
                options = substr(rest, RSTART + 1, RLENGTH - 2)
                rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
                if (match(options, /signed-by=[^ ]*/))
                    keyring = substr(options, RSTART + 10, RLENGTH - 10)
            }
            n = split(rest, field, " ")
            if (field[2] ~ /security/ || field[4] != "main") next
            print field[2]; print keyring; exit
        }'
}
entry=$(entry_from_sources)
[ -n "$entry" ] || entry=$(entry_from_list)
uri=$(printf '%s\n' "$entry" | sed -n 1p)
keyring=$(printf '%s\n' "$entry" | sed -n 2p)
[ -n "$uri" ] || fail "apt has no entry for a Debian archive; try: $0 --rustup"
[ -n "$keyring" ] || keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || fail "no keyring at $keyring; install debian-archive-keyring"

apt() {
    apt-get -q \
        -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$work/parts" \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
        -o APT::Get::List-Cleanup=false -o Acquire::Languages=none "$@"
}
for suite in $suites; do
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
        "$uri" "$suite" "$keyring" >"$work/parts/rust-src.sources"
    say "looking for rust-src $version in Debian's suite $suite"
    apt update >"$work/log" 2>&1 || continue
    (cd "$work" && apt download "rust-src=$version*" >>"$work/log" 2>&1) && break
done
package=$(find "$work" -maxdepth 1 -name 'rust-src_*.deb')
if [ -z "$package" ]; then
    tail -n 5 "$work/log" >&2
    fail "Debian has no rust-src $version in: $suites; try: $0 --rustup"
fi

# Only the library is wanted; the package holds the whole compiler.
say "unpacking $(basename "$package") to $cache"
mkdir -p "$(dirname "$cache")"
part=$cache.part.$$
rm -rf "$part"
mkdir "$part"
dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$part" --strip-components=4 "./usr/src/rustc-$version/library" ||
    { rm -rf "$part"; fail "cannot unpack $(basename "$package")"; }
[ -f "$part/library/core/src/lib.rs" ] ||
    { rm -rf "$part"; fail "$(basename "$package") holds no library/core"; }
# In one step, so that an interrupted run leaves nothing that looks whole.
rm -rf "$cache"
mv "$part" "$cache"
say "the source of Rust $version is at $cache/library"
