#!/bin/sh
# Opens sealed files in Java, by Debian's JNA.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -f /usr/share/java/jna.jar ]; then
    echo "java: libjna-java is not installed" >&2
    exit 77
fi
javac -Xlint:all -Werror -cp /usr/share/java/jna.jar -d "$WORK" "$here"/*.java
. "$here/../sealed.sh"
LD_LIBRARY_PATH=$(dirname "$(find "$TREE" -name libabreast.so)")
export LD_LIBRARY_PATH
try_all java -cp "/usr/share/java/jna.jar:$WORK" OpenSealed
gain java -cp "/usr/share/java/jna.jar:$WORK" Gain
