#!/bin/sh
# Runs forgottenserver's tests of XTEA with the header of abreast in the place of its own, from DIR/forgottenserver of
# `--sources DIR`. The server's header of all system headers is left out: it names its database and its scripts.
set -eu
if [ ! -f "$SOURCES/forgottenserver/src/tests/test_xtea.cpp" ]; then
    echo "forgottenserver: --sources names no folder with forgottenserver in it" >&2
    exit 77
fi
mkdir -p "$WORK/src/tests"
cp "$SOURCES/forgottenserver/src/tests/test_xtea.cpp" "$WORK/src/tests"
echo '#include <abreast/xtea.hpp>' > "$WORK/src/xtea.h"
printf '#include <%s>\n' array cstdint vector > "$WORK/src/otpch.h"
c++ -std=c++20 -O2 -Wall -Werror -DBOOST_TEST_DYN_LINK -o "$WORK/test_xtea" "$WORK/src/tests/test_xtea.cpp" \
    $(PKG_CONFIG_PATH=$(dirname "$(find "$TREE" -name abreast.pc)") pkg-config --cflags --libs abreast) -lboost_unit_test_framework
LD_LIBRARY_PATH=$(dirname "$(find "$TREE" -name libabreast.so)") "$WORK/test_xtea" --log_level=test_suite
