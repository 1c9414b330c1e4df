//! TLS 1.2, TLS 1.3 and QUIC between abreast and ring, and between abreast and itself, by TCP and UDP on loopback.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::quic::{Keys, Version};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, Side, Stream,
    SupportedCipherSuite,
};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// True for each end that is abreast's, the client's first.
const ENDS: [[bool; 2]; 3] = [[true, false], [false, true], [true, true]];

/// The suites of AES-GCM that ring has.
fn suites() -> Vec<SupportedCipherSuite> {
    let suites = ring::default_provider().cipher_suites;
    suites.into_iter().filter(|suite| format!("{:?}", suite.suite()).contains("GCM")).collect()
}

/// A provider with one suite.
fn provider(suite: SupportedCipherSuite, ours: bool) -> Arc<CryptoProvider> {
    let provider = CryptoProvider { cipher_suites: vec![suite], ..ring::default_provider() };
    Arc::new(if ours { abreast_rustls::over(provider) } else { provider })
}

struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

/// A certificate for `localhost`, of ECDSA.
fn identity() -> Outcome<Identity> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    Ok(Identity { certificate: made.cert.der().clone(), key: made.signing_key.into() })
}

fn configurations(
    suite: SupportedCipherSuite,
    [client, server]: [bool; 2],
    identity: &Identity,
) -> Outcome<(ClientConfig, ServerConfig)> {
    let mut roots = RootCertStore::empty();
    roots.add(identity.certificate.clone())?;
    let client = ClientConfig::builder_with_provider(provider(suite, client))
        .with_protocol_versions(&[suite.version()])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = ServerConfig::builder_with_provider(provider(suite, server))
        .with_protocol_versions(&[suite.version()])?
        .with_no_client_auth()
        .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())?;
    Ok((client, server))
}

/// Bytes that differ from each other and from those of another length.
fn message(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 256 + len) as u8).collect()
}

/// Lengths around a block, a record and several of them.
const LENGTHS: [usize; 9] = [1, 15, 16, 17, 1000, (1 << 14) - 1, 1 << 14, (1 << 14) + 1, 300_000];

#[test]
fn six_suites_are_ours() {
    let names: Vec<_> = suites().iter().map(|suite| suite.suite()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let ours = abreast_rustls::over(ring::default_provider());
    assert_eq!(ours.cipher_suites.len(), ring::default_provider().cipher_suites.len());
    for (ours, theirs) in ours.cipher_suites.iter().zip(ring::default_provider().cipher_suites) {
        assert_eq!(ours.suite(), theirs.suite());
        let same = match (ours, theirs) {
            (SupportedCipherSuite::Tls12(a), SupportedCipherSuite::Tls12(b)) => std::ptr::eq(*a, b),
            (SupportedCipherSuite::Tls13(a), SupportedCipherSuite::Tls13(b)) => std::ptr::eq(*a, b),
            _ => panic!("{ours:?} is of another version"),
        };
        assert_eq!(same, !names.contains(&ours.suite()), "{ours:?}");
        assert_eq!(abreast_rustls::suite(*ours), *ours);
    }
}

#[test]
fn tls() -> Outcome {
    // ECDSA's suites, and those of TLS 1.3, which leave the signature open.
    for suite in suites().into_iter().filter(|suite| !format!("{suite:?}").contains("_RSA_")) {
        for ends in ENDS {
            over_tcp(suite, ends).map_err(|error| format!("{suite:?} {ends:?}: {error}"))?;
        }
    }
    Ok(())
}

/// Sends messages to and fro by TLS.
fn over_tcp(suite: SupportedCipherSuite, ends: [bool; 2]) -> Outcome {
    let (client, server) = configurations(suite, ends, &identity()?)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let echo = thread::spawn(move || -> Outcome {
        let (mut socket, _) = listener.accept()?;
        let mut connection = ServerConnection::new(Arc::new(server))?;
        let mut stream = Stream::new(&mut connection, &mut socket);
        for len in LENGTHS {
            let mut got = vec![0; len];
            stream.read_exact(&mut got)?;
            stream.write_all(&got)?;
        }
        stream.flush()?;
        Ok(())
    });
    let mut socket = TcpStream::connect(address)?;
    let mut connection = ClientConnection::new(Arc::new(client), ServerName::try_from("localhost")?)?;
    for len in LENGTHS {
        let (sent, mut got) = (message(len), vec![0; len]);
        let mut stream = Stream::new(&mut connection, &mut socket);
        stream.write_all(&sent)?;
        stream.read_exact(&mut got)?;
        assert!(sent == got, "{len} bytes came back otherwise");
        if suite.tls13().is_some() {
            connection.refresh_traffic_keys()?;
        }
    }
    assert_eq!(connection.negotiated_cipher_suite().map(|suite| suite.suite()), Some(suite.suite()));
    echo.join().map_err(|_| "the server panicked")?
}

#[test]
fn forged_records_are_refused() -> Outcome {
    for suite in suites().into_iter().filter(|suite| !format!("{suite:?}").contains("_RSA_")) {
        let (mut client, mut server) = shaken(suite, [true, true], &identity()?)?;
        let mut wire = Vec::new();
        client.writer().write_all(b"attack at dawn")?;
        client.write_tls(&mut wire)?;
        // A bit of the tag, which ends the record.
        *wire.last_mut().ok_or("no record")? ^= 1;
        feed(&mut server, &wire)?;
        assert_eq!(server.process_new_packets(), Err(rustls::Error::DecryptError), "{suite:?}");
    }
    Ok(())
}

/// A client and a server in memory that have shaken hands.
fn shaken(
    suite: SupportedCipherSuite,
    ends: [bool; 2],
    identity: &Identity,
) -> Outcome<(ClientConnection, ServerConnection)> {
    let (client, server) = configurations(suite, ends, identity)?;
    let mut client = ClientConnection::new(Arc::new(client), ServerName::try_from("localhost")?)?;
    let mut server = ServerConnection::new(Arc::new(server))?;
    let mut wire = Vec::new();
    while client.is_handshaking() || server.is_handshaking() {
        wire.clear();
        client.write_tls(&mut wire)?;
        feed(&mut server, &wire)?;
        server.process_new_packets()?;
        wire.clear();
        server.write_tls(&mut wire)?;
        feed(&mut client, &wire)?;
        client.process_new_packets()?;
    }
    Ok((client, server))
}

/// Prints the speed of records from a client to a server in memory, by abreast and by ring in turns: a release build tells it.
#[test]
#[ignore = "prints figures"]
fn speed() -> Outcome {
    const RECORDS: usize = 4000;
    let identity = identity()?;
    for suite in suites().into_iter().filter(|suite| !format!("{suite:?}").contains("_RSA_")) {
        for len in [256, 1 << 14] {
            let (sent, mut got, mut wire) = (message(len), vec![0; len], Vec::new());
            let mut best = [f64::INFINITY; 2];
            for trial in 0..10 {
                let ours = trial % 2 == 0;
                let (mut client, mut server) = shaken(suite, [ours; 2], &identity)?;
                let begin = Instant::now();
                for _ in 0..RECORDS {
                    client.writer().write_all(&sent)?;
                    wire.clear();
                    client.write_tls(&mut wire)?;
                    feed(&mut server, &wire)?;
                    server.process_new_packets()?;
                    server.reader().read_exact(&mut got)?;
                }
                let time = begin.elapsed().as_secs_f64() / RECORDS as f64;
                let best = &mut best[usize::from(ours)];
                *best = best.min(time);
                assert!(sent == got);
            }
            let [theirs, ours] = best.map(|time| 1e6 * time);
            println!(
                "{:?}, {len} bytes: {ours:.2} us by abreast, {theirs:.2} by ring, gain {:.2}",
                suite.suite(),
                theirs / ours
            );
        }
    }
    Ok(())
}

fn feed<D>(connection: &mut rustls::ConnectionCommon<D>, mut wire: &[u8]) -> Outcome {
    while !wire.is_empty() {
        connection.read_tls(&mut wire)?;
    }
    Ok(())
}

#[test]
fn quic() -> Outcome {
    for suite in suites().into_iter().filter(|suite| suite.tls13().is_some()) {
        for ends in ENDS {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let done = runtime.block_on(over_udp(suite, ends));
            done.map_err(|error| format!("{suite:?} {ends:?}: {error}"))?;
        }
    }
    Ok(())
}

/// A server and a client of quinn on loopback.
fn endpoints(suite: SupportedCipherSuite, ends: [bool; 2]) -> Outcome<(quinn::Endpoint, quinn::Endpoint)> {
    let (client, server) = configurations(suite, ends, &identity()?)?;
    // The first packets of a connection are of AES-128-GCM.
    let initial = |ours| {
        let suite = ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
        let suite = if ours { abreast_rustls::suite(suite) } else { suite };
        suite.tls13().and_then(|suite| suite.quic_suite()).ok_or("no suite of QUIC")
    };
    let server = QuicServerConfig::with_initial(Arc::new(server), initial(ends[1])?)?;
    let client = QuicClientConfig::with_initial(Arc::new(client), initial(ends[0])?)?;

    let any = (Ipv4Addr::LOCALHOST, 0).into();
    let listener = quinn::Endpoint::server(quinn::ServerConfig::with_crypto(Arc::new(server)), any)?;
    let mut endpoint = quinn::Endpoint::client(any)?;
    endpoint.set_default_client_config(quinn::ClientConfig::new(Arc::new(client)));
    Ok((listener, endpoint))
}

/// Sends messages to and fro by quinn.
async fn over_udp(suite: SupportedCipherSuite, ends: [bool; 2]) -> Outcome {
    let (listener, endpoint) = endpoints(suite, ends)?;
    let address = listener.local_addr()?;
    let echo = async {
        let connection = listener.accept().await.ok_or("no connection came")?.await?;
        while let Ok((mut send, mut receive)) = connection.accept_bi().await {
            let got = receive.read_to_end(1 << 20).await?;
            send.write_all(&got).await?;
            send.finish()?;
        }
        Outcome::Ok(())
    };
    let ask = async {
        let connection = endpoint.connect(address, "localhost")?.await?;
        for len in LENGTHS {
            let (mut send, mut receive) = connection.open_bi().await?;
            let sent = message(len);
            send.write_all(&sent).await?;
            send.finish()?;
            assert!(sent == receive.read_to_end(1 << 20).await?, "{len} bytes came back otherwise");
            connection.force_key_update();
        }
        connection.close(0_u8.into(), b"");
        Outcome::Ok(())
    };
    let (echo, ask) = tokio::join!(echo, ask);
    echo.and(ask)
}

/// Prints the speed of a stream from a client to a server of quinn, by abreast and by ring in turns: a release build tells it.
#[test]
#[ignore = "prints figures"]
fn speed_of_quic() -> Outcome {
    const LEN: usize = 64 << 20;
    for suite in suites().into_iter().filter(|suite| suite.tls13().is_some()) {
        let mut best = [f64::INFINITY; 2];
        for trial in 0..10 {
            let ours = trial % 2 == 0;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let time = runtime.block_on(streamed(suite, [ours; 2], LEN))?;
            let best = &mut best[usize::from(ours)];
            *best = best.min(time);
        }
        let [theirs, ours] = best.map(|time| LEN as f64 / time / 1e6);
        println!(
            "{:?}: {ours:.0} MB/s by abreast, {theirs:.0} by ring, gain {:.2}",
            suite.suite(),
            ours / theirs
        );
    }
    Ok(())
}

/// Sends bytes by one stream, both ends in this thread, and returns the seconds that it took.
async fn streamed(suite: SupportedCipherSuite, ends: [bool; 2], len: usize) -> Outcome<f64> {
    let (listener, endpoint) = endpoints(suite, ends)?;
    let connecting = endpoint.connect(listener.local_addr()?, "localhost")?;
    let accepted = async { Outcome::Ok(listener.accept().await.ok_or("no connection came")?.await?) };
    let (server, client) = tokio::join!(accepted, connecting);
    let (server, client) = (server?, client?);
    let message = message(len);
    let begin = Instant::now();
    let send = async {
        let mut stream = client.open_uni().await?;
        stream.write_all(&message).await?;
        stream.finish()?;
        Outcome::Ok(())
    };
    let receive = async {
        let (mut stream, mut got) = (server.accept_uni().await?, 0);
        while let Some(chunk) = stream.read_chunk(usize::MAX, true).await? {
            got += chunk.bytes.len();
        }
        Outcome::Ok(got)
    };
    let (sent, got) = tokio::join!(send, receive);
    sent?;
    assert_eq!(got?, len);
    Ok(begin.elapsed().as_secs_f64())
}

#[test]
fn packets_of_quic_are_the_same_bytes() -> Outcome {
    for suite in suites() {
        let Some(theirs) = suite.tls13().and_then(|suite| suite.quic_suite()) else { continue };
        let ours = abreast_rustls::suite(suite);
        let ours = ours.tls13().and_then(|suite| suite.quic_suite()).ok_or("no suite of QUIC")?;
        let keys = |suite: rustls::quic::Suite, side| suite.keys(&[7; 20], side, Version::V1);
        let (ours, theirs, receiver): (Keys, Keys, Keys) =
            (keys(ours, Side::Client), keys(theirs, Side::Client), keys(ours, Side::Server));
        for len in LENGTHS {
            let (header, plain, number) = (message(30), message(len), len as u64 * 1_000_003);
            let (mut a, mut b) = (plain.clone(), plain.clone());
            let tags = [
                ours.local.packet.encrypt_in_place(number, &header, &mut a)?,
                theirs.local.packet.encrypt_in_place(number, &header, &mut b)?,
            ];
            assert!(a == b && tags[0].as_ref() == tags[1].as_ref(), "{suite:?}, {len} bytes");
            a.extend_from_slice(tags[0].as_ref());
            for first in [0x43, 0xc1_u8] {
                let (mut one, mut other) = ([first; 5], [first; 5]);
                for (keys, bytes) in [(&ours, &mut one), (&theirs, &mut other)] {
                    let (first, number) = bytes.split_at_mut(1);
                    keys.local.header.encrypt_in_place(&a[..16], &mut first[0], number)?;
                }
                assert_eq!(one, other);
                let (first_byte, number) = one.split_at_mut(1);
                receiver.remote.header.decrypt_in_place(&a[..16], &mut first_byte[0], number)?;
                assert_eq!(one, [first; 5]);
            }
            let mut forged = a.clone();
            forged[0] ^= 1;
            let refused = receiver.remote.packet.decrypt_in_place(number, &header, &mut forged);
            assert_eq!(refused, Err(rustls::Error::DecryptError));
            assert_eq!(receiver.remote.packet.decrypt_in_place(number, &header, &mut a)?, plain);
        }
        // Lengths that the trait refuses, and then nothing is changed.
        let (mut first, mut number) = (1, [2; 5]);
        for (sample, len) in [(15, 4), (17, 4), (16, 5)] {
            let header = &ours.local.header;
            assert!(header.encrypt_in_place(&[3; 17][..sample], &mut first, &mut number[..len]).is_err());
            assert_eq!((first, number), (1, [2; 5]));
        }
    }
    Ok(())
}
