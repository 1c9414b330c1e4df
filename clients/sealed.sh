# Sealed files for the examples that open them: `try_all COMMAND..` seals messages around the ends of chunks with each AEAD, opens
# them by a command that takes a key, a sealed file and a place for the message, and has it refuse files that were cut or changed.
# `gain COMMAND..` calls a command with a key and a sealed file of 16 MB, to print the times that these take with abreast and without.
try_all() {
    cd "$WORK"
    opened=0
    for aead in aes-128-gcm aes-256-gcm serpent-256-gcm; do
        rm -f key
        "$TREE/bin/abreast" keygen --cipher $aead -o key
        for len in 0 1 16383 16384 16385 100000; do
            head -c $len /dev/urandom > message
            rm -f sealed
            "$TREE/bin/abreast" seal -k key -o sealed message
            "$@" key sealed opened
            cmp message opened
            opened=$((opened + 1))
        done
    done
    size=$(stat -c %s sealed)
    head -c $((size - 1)) sealed > cut
    # Whole chunks alone: what is missing is the last one.
    head -c $((56 + 16400)) sealed > shorter
    cp sealed changed
    printf '\377' | dd of=changed bs=1 seek=$((size - 1)) conv=notrunc 2> /dev/null
    cmp -s sealed changed && printf '\000' | dd of=changed bs=1 seek=$((size - 1)) conv=notrunc 2> /dev/null
    "$TREE/bin/abreast" keygen --cipher $aead -o other
    for wrong in "key cut" "key shorter" "key changed" "other sealed"; do
        rm -f none
        # Two words.
        if "$@" $wrong none 2> refused || [ -e none ]; then
            echo "opened: $wrong" >&2
            exit 1
        fi
        tail -1 refused
    done
    echo "$opened files opened, 4 refused"
}

gain() {
    cd "$WORK"
    rm -f key sealed
    "$TREE/bin/abreast" keygen --cipher aes-256-gcm -o key
    head -c 16000000 /dev/urandom > message
    "$TREE/bin/abreast" seal -k key -o sealed message
    "$@" key sealed
}
