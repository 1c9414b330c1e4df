# A network of tor on loopback: three relays, which are its authorities too, and a client. For scripts of run.py.
fingerprint() { sed -n 's/^fingerprint //p' tor$1/keys/authority_certificate; }
relay() {
    mkdir -m 700 tor$1 tor$1/keys
    (cd tor$1/keys && echo secret | tor-gencert --create-identity-key -m 12 -a 127.0.0.1:$(port $(($1 + 3))) --passphrase-fd 0) 2> /dev/null
    cat > torrc$1 <<END
TestingTorNetwork 1
DataDirectory $PWD/tor$1
Log notice file $PWD/tor$1/log
Nickname relay$1
ContactInfo nobody
Address 127.0.0.1
ORPort $(port $1)
DirPort $(port $(($1 + 3)))
SocksPort 0
AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
AssumeReachable 1
TestingDirAuthVoteExit *
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
TestingMinExitFlagThreshold 0
ExitRelay 1
ExitPolicy accept 127.0.0.0/8:*
ExitPolicyRejectPrivate 0
ServerDNSDetectHijacking 0
ShutdownWaitLength 0
END
    key=$(tor --list-fingerprint --hush -f torrc$1 --DirAuthority "none orport=1 no-v2 v3ident=$(fingerprint $1) 127.0.0.1:1 $(printf '%040d' 0)" | sed -n "s/^relay$1 //p" | tr -d ' ')
    echo "DirAuthority relay$1 orport=$(port $1) no-v2 v3ident=$(fingerprint $1) 127.0.0.1:$(port $(($1 + 3))) $key" >> authorities
}
# Starts them in the current folder, with ports 1 to 7, of which 7 is the client's, and waits until the client has a circuit. `relays`: the
# numbers of all four processes.
network() {
    for i in 1 2 3; do relay $i; done
    mkdir -m 700 tor4
    printf '%s\n' 'TestingTorNetwork 1' "DataDirectory $PWD/tor4" "SocksPort $(port 7)" "Log notice file $PWD/tor4/log" > torrc4
    for i in 1 2 3 4; do
        cat authorities >> torrc$i
        $ours tor --hush -f torrc$i &
        relays="$! ${relays-}"
    done
    # A consensus takes a minute, and more on a machine that has other work.
    for i in 1 2 3 4 5 6 7 8 9; do patiently bootstrapped 2> waited && return; done
    tail -n 5 tor?/log >&2
    return 1
}
bootstrapped() { grep -q 'Bootstrapped 100%' tor4/log; }
