#!/bin/sh
# Tests the module; with --long, Yawning's files too, from DIR/aez of `--sources DIR`, and the benchmarks.
set -eu
cd "$(dirname "$0")"
PKG_CONFIG_PATH=$(dirname "$(find "$TREE" -name abreast.pc)")
LD_LIBRARY_PATH=$(dirname "$(find "$TREE" -name libabreast.so)")
export PKG_CONFIG_PATH LD_LIBRARY_PATH GOTOOLCHAIN=local GOFLAGS=-mod=readonly
if [ -d "$SOURCES/aez/testdata" ]; then
    export ABREAST_AEZ_SOURCE="$SOURCES/aez"
elif [ "$LONG" ]; then
    echo "Yawning's vectors: not run: --sources names no folder with aez in it" >&2
fi
test -z "$(gofmt -l .)" || { gofmt -d .; exit 1; }
go vet .
if [ "$LONG" ]; then
    go test -count=1 -v -bench . -benchtime 300ms .
else
    go test -count=1 -v .
fi
