#!/bin/sh
# Holds streams of abreast against those of Iceberg's classes, which are on the class path.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
javac -Xlint:all -Werror -d "$WORK" "$here/Streams.java"
cd "$WORK"
umask 077
java -cp "$CLASSPATH:$WORK" Streams "$TREE/bin/abreast" ${LONG:+long}
