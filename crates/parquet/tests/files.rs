//! Whole files: those of other writers, of which `data/files.py` says what is in them, and files that are encrypted here.

use std::io::Cursor;

use abreast::aes::Aes128;
use abreast::modes::{CounterWidth, Ctr, Gcm};
use abreast_parquet::{
    Access, Algorithm, ChunkPlace, Error, Fault, FileContext, Job, Keys, Module, ModuleKey, ModuleKind,
    Owner, Policy, Report, decrypt, encrypt, inspect, rewrap,
};

/// The key of all files, of which shorter ones are the beginning.
const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut at = 0;
    while at < 32 {
        key[at] = 100 + at as u8;
        at += 1;
    }
    key
};
const PREFIX: &[u8] = b"the prefix of files";

macro_rules! data {
    ($($name:literal)*) => {
        [$(($name, include_bytes!(concat!("data/", $name, ".parquet")).as_slice())),*]
    };
}

const PLAIN: &[u8] = include_bytes!("data/plain.parquet");
const CHECKSUMS: &[u8] = include_bytes!("data/plain-checksums.parquet");
const DUCKDB: &[u8] = include_bytes!("data/duckdb-plain.parquet");
const DUCKDB_EMPTY: &[u8] = include_bytes!("data/duckdb-empty-aad.parquet");

fn encrypted(plain: &[u8], policy: &Policy) -> (Vec<u8>, Report) {
    let mut file = Vec::new();
    let report = encrypt(&mut Cursor::new(plain), &mut file, policy).expect("a file that can be encrypted");
    (file, report)
}

fn decrypted(file: &[u8], access: Access<'_>) -> Result<(Vec<u8>, Report), Error> {
    let mut plain = Vec::new();
    decrypt(&mut Cursor::new(file), &mut plain, access).map(|report| (plain, report))
}

fn keys(len: usize) -> Keys {
    Keys::new().footer(&KEY[..len]).expect("a key of AES")
}

fn policy(len: usize) -> Policy {
    Policy::new(&KEY[..len]).expect("a key of AES")
}

/// Returns a file in clear as it is after encryption and decryption: row groups have ordinals.
fn with_ordinals(plain: &[u8]) -> Vec<u8> {
    let (file, _) = encrypted(plain, &policy(16));
    decrypted(&file, Access::new(&keys(16))).expect("the key").0
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn files_of_pyarrow_open() {
    let files = data!["ctr-128" "ctr-128-given" "ctr-192-footer-stored" "ctr-256-footer" "ctr-256-footer-given" "ctr-256-stored"
        "gcm-128-footer" "gcm-128-footer-given" "gcm-128-stored" "gcm-192" "gcm-192-given" "gcm-256-footer-stored"];
    let plain = [PLAIN, CHECKSUMS].map(with_ordinals);
    let mut opened = 0;
    for (name, file) in files {
        let parts: Vec<_> = name.split('-').collect();
        let keys = keys(parts[1].parse::<usize>().expect("bits") / 8);
        let (stored, given) = (parts.contains(&"stored"), parts.contains(&"given"));
        let found = inspect(&mut Cursor::new(file)).expect("a file").expect("an encrypted file");
        let algorithm = if parts[0] == "gcm" { Algorithm::AesGcmV1 } else { Algorithm::AesGcmCtrV1 };
        assert_eq!(found.algorithm, algorithm, "{name}");
        assert_eq!(found.encrypted_footer, !parts.contains(&"footer"), "{name}");
        assert_eq!(found.aad_prefix.as_deref(), stored.then_some(PREFIX), "{name}");
        assert_eq!(found.supply_aad_prefix, given, "{name}");

        let mut access = Access::new(&keys);
        let without = decrypted(file, access);
        if given {
            assert!(matches!(without, Err(Error::PrefixMissing)), "{name}");
        }
        access.aad_prefix = Some(b"another prefix");
        let with_another = decrypted(file, access).expect_err("another prefix");
        assert!(
            match with_another {
                Error::NotAuthentic(place) => given && place.module == Module::FOOTER,
                Error::PrefixDiffers => stored,
                Error::PrefixUnused => !given && !stored,
                _ => false,
            },
            "{name}"
        );
        access.aad_prefix = (stored || given).then_some(PREFIX);
        let (bytes, report) = decrypted(file, access).unwrap_or_else(|error| panic!("{name}: {error}"));
        // The writer checks pages only in files with a prefix.
        assert!(bytes == plain[usize::from(stored || given)], "{name}");
        opened += report.opened;
    }
    assert!(opened > 1000, "{opened} modules were opened");
}

#[cfg(feature = "key-tools")]
mod key_tools {
    use super::*;
    use abreast_parquet::key_material::{ExternalMaterial, KeyMaterial, KeyMetadata, KeyTools, Kms, Wrapped};
    use data_encoding::BASE64;
    use std::cell::Cell;
    use zeroize::Zeroizing;

    /// The service of `files.py`.
    #[derive(Default)]
    struct Service {
        calls: Cell<usize>,
    }

    impl Kms for Service {
        fn wrap_key(&self, key: &[u8], master_key_id: &str) -> Result<String, String> {
            self.calls.set(self.calls.get() + 1);
            Ok(BASE64.encode(&[master_key_id.as_bytes(), b":", key].concat()))
        }
        fn unwrap_key(&self, wrapped: &str, master_key_id: &str) -> Result<Zeroizing<Vec<u8>>, String> {
            self.calls.set(self.calls.get() + 1);
            let bytes = BASE64.decode(wrapped.as_bytes()).map_err(|error| error.to_string())?;
            let key = bytes.strip_prefix(master_key_id.as_bytes()).and_then(|rest| rest.strip_prefix(b":"));
            key.map(|key| Zeroizing::new(key.to_vec())).ok_or_else(|| "another master key".to_owned())
        }
    }

    #[test]
    fn files_with_keys_of_columns_open() {
        let files =
            data!["ctr-columns" "ctr-columns-footer-double" "gcm-columns-double" "gcm-columns-footer"];
        let plain = with_ordinals(PLAIN);
        for (name, file) in files {
            let service = Service::default();
            let tools = KeyTools::new(&service, None);
            let (bytes, _) =
                decrypted(file, Access::new(&tools)).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(bytes == plain, "{name}");
            // Two columns have a key of their own each, under one master key.
            assert_eq!(service.calls.get(), if name.ends_with("double") { 3 } else { 4 }, "{name}");
        }
    }

    #[test]
    fn material_lies_beside_the_data() {
        let file = include_bytes!("data/gcm-uniform-external.parquet");
        let json = include_bytes!("data/_KEY_MATERIAL_FOR_gcm-uniform-external.parquet.json");
        let material = ExternalMaterial::parse(json).expect("the material of pyarrow");
        assert_eq!(material.to_json().as_bytes(), json);
        let service = Service::default();
        let error = decrypted(file, Access::new(&KeyTools::new(&service, None))).expect_err("no material");
        assert!(matches!(error, Error::Key { owner: Owner::Footer, .. }), "{error}");
        let (bytes, _) =
            decrypted(file, Access::new(&KeyTools::new(&service, Some(material)))).expect("the material");
        assert!(bytes == with_ordinals(PLAIN));
    }

    #[test]
    fn metadata_is_written_as_pyarrow_writes_it() {
        for (name, file) in data!["ctr-columns" "gcm-columns-double"] {
            let found = inspect(&mut Cursor::new(file)).expect("a file").expect("an encrypted file");
            let json = found.footer_key_metadata.expect("the metadata of the key");
            let metadata = KeyMetadata::parse(&json).expect("key material");
            assert_eq!(metadata.to_json().as_bytes(), json, "{name}");
        }
    }

    #[test]
    fn keys_are_made_and_found_again() {
        let service = Service::default();
        let tools = KeyTools::new(&service, None);
        for (double, len) in [(false, 16), (true, 16), (true, 24), (true, 32)] {
            let (footer, metadata) =
                tools.generate(len, "footers", double, Some(("DEFAULT", "DEFAULT"))).expect("a service");
            let (column, of_column) = tools.generate(len, "columns", double, None).expect("a service");
            let policy = Policy::new(&footer)
                .and_then(|policy| policy.column("name", &column, Some(of_column.to_json(true).as_bytes())))
                .expect("keys of AES");
            let policy = policy.footer_key_metadata(metadata.to_json(true).as_bytes());
            let (file, _) = encrypted(PLAIN, &policy);
            let (bytes, _) = decrypted(&file, Access::new(&tools)).expect("the same service");
            assert!(bytes == with_ordinals(PLAIN));

            if let Wrapped::Double { wrapped_dek, kek_id, wrapped_kek } = &of_column.wrapped {
                let changed = |kek_id: &[u8], wrapped_dek: &[u8]| {
                    let (kek_id, wrapped_dek, wrapped_kek) =
                        (kek_id.to_vec(), wrapped_dek.to_vec(), wrapped_kek.clone());
                    let wrapped = Wrapped::Double { kek_id, wrapped_kek, wrapped_dek };
                    tools.unwrap(&KeyMaterial { wrapped, ..of_column.clone() })
                };
                assert!(changed(kek_id, wrapped_dek).is_ok());
                assert!(changed(&kek_id[1..], wrapped_dek).is_err(), "the identifier is authenticated");
                assert!(changed(kek_id, &wrapped_dek[..27]).is_err(), "no data key");
            }
        }
        assert!(KeyMetadata::parse(b"{}").is_err());
        assert!(KeyMetadata::parse(br#"{"keyMaterialType":"PKMT2","internalStorage":true}"#).is_err());
    }
}

#[test]
fn files_come_back() {
    for (name, plain) in
        [("plain", PLAIN), ("checksums", CHECKSUMS), ("DuckDB", DUCKDB)].into_iter().chain(data!["plain-v2"])
    {
        for algorithm in [Algorithm::AesGcmV1, Algorithm::AesGcmCtrV1] {
            for (plaintext_footer, columns, prefix) in [
                (false, false, None),
                (true, false, Some(true)),
                (false, true, Some(false)),
                (true, true, None),
            ] {
                let (mut policy, mut keys) = (policy(16).algorithm(algorithm), keys(16));
                policy = policy.plaintext_footer(plaintext_footer).footer_key_metadata(b"the footer's");
                if columns {
                    policy = policy.column("name", &KEY[8..], Some(b"one")).expect("a key");
                    keys = keys.metadata(b"one", &KEY[8..]).expect("a key");
                }
                if let Some(store) = prefix {
                    policy = policy.aad_prefix(PREFIX, store).expect("a short prefix");
                }
                let (file, made) = encrypted(plain, &policy);
                let mut access = Access::new(&keys);
                access.aad_prefix = prefix.map(|_| PREFIX);
                let (bytes, report) =
                    decrypted(&file, access).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!((report.opened, report.sealed), (made.sealed, 0), "{name}");
                assert!(bytes == with_ordinals(plain), "{name}");
                // All but the ordinals of row groups, which come at the end.
                let footer = bytes.len() - 8 - u32_at(&bytes, bytes.len() - 8);
                assert!(bytes[..footer] == plain[..footer], "{name}");
                assert!(u32_at(&bytes, bytes.len() - 8) - u32_at(plain, plain.len() - 8) <= 4, "{name}");
                // The greatest name is in the statistics.
                assert_eq!(contains(plain, b"name 9"), name != "DuckDB", "{name}");
                assert!(!contains(&file, b"name 9") && !contains(&file, b"name 6"), "{name}");
            }
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

/// The header of a Bloom filter of 32 bytes: its length, and three unions of an empty struct each.
const BLOOM_HEADER: &[u8] = &[0x15, 0x40, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0];

#[test]
fn bloom_filters_are_encrypted() {
    let at =
        DUCKDB.windows(BLOOM_HEADER.len()).position(|part| part == BLOOM_HEADER).expect("a Bloom filter");
    for plaintext_footer in [false, true] {
        let (file, report) = encrypted(DUCKDB, &policy(16).plaintext_footer(plaintext_footer));
        assert!(!contains(&file, BLOOM_HEADER));
        let filter = &DUCKDB[at + BLOOM_HEADER.len()..][..32];
        assert!(filter.windows(8).all(|part| !contains(&file, part)));
        // A footer; of two columns, one with a dictionary, their pages and headers; a Bloom filter with its header.
        assert_eq!(report.sealed, 1 + 4 + 2 + 2 + if plaintext_footer { 2 } else { 0 });
        assert!(decrypted(&file, Access::new(&keys(16))).expect("the key").0 == with_ordinals(DUCKDB));
    }
}

#[test]
fn empty_associated_data_is_named_and_read() {
    let keys = keys(32);
    let error = decrypted(DUCKDB_EMPTY, Access::new(&keys)).expect_err("without the option");
    assert!(matches!(error, Error::EmptyAad), "{error}");
    let mut access = Access::new(&keys);
    access.empty_aad = true;
    let (bytes, report) = decrypted(DUCKDB_EMPTY, access).expect("with the option");
    assert!(report.opened >= 5, "{report:?}");
    // Both chunks, as the writer has them in its file in clear.
    assert_eq!(bytes[..760], DUCKDB[..760]);
    let other = Keys::new().footer(&KEY[..16]).expect("a key");
    access.keys = &other;
    assert!(matches!(decrypted(DUCKDB_EMPTY, access), Err(Error::NotAuthentic(_))));
}

#[test]
fn metadata_of_keys_is_exchanged() {
    let columns = [("name", &KEY[8..24]), ("value", &KEY[9..25])];
    for (plaintext_footer, stored) in [(false, true), (true, false)] {
        let mut policy = policy(16).plaintext_footer(plaintext_footer).footer_key_metadata(b"old footer");
        policy = policy.aad_prefix(PREFIX, stored).expect("a short prefix");
        for (name, key) in columns {
            policy = policy.column(name, key, Some(format!("old {name}").as_bytes())).expect("a key");
        }
        let (file, _) = encrypted(PLAIN, &policy);
        // Only the key of the footer is needed.
        let only = keys(16);
        let access = Access { aad_prefix: Some(PREFIX), ..Access::new(&only) };
        let mut asked = Vec::new();
        let mut wrap = |owner: &Owner, old: &[u8]| {
            asked.push(owner.to_string());
            Ok([b"a new text for ", &old[4..]].concat())
        };
        let mut target = Vec::new();
        rewrap(&mut Cursor::new(&file), &mut target, access, &mut wrap).expect("the footer's key");
        assert_eq!(asked.len(), 3, "once for each key: {asked:?}");
        let data = file.len() - 8 - u32_at(&file, file.len() - 8);
        assert!(target[..data] == file[..data] && !contains(&target, b"old "));
        let found = inspect(&mut Cursor::new(&target)).expect("a file").expect("an encrypted file");
        assert_eq!(found.footer_key_metadata.as_deref(), Some(&b"a new text for footer"[..]));
        let mut by_metadata = Keys::new().metadata(b"a new text for footer", &KEY[..16]).expect("a key");
        for (name, key) in columns {
            by_metadata =
                by_metadata.metadata(format!("a new text for {name}").as_bytes(), key).expect("a key");
        }
        let access = Access { aad_prefix: Some(PREFIX), ..Access::new(&by_metadata) };
        assert!(decrypted(&target, access).expect("the same keys").0 == with_ordinals(PLAIN));
    }
}

/// Each byte of a file is changed: nothing of it is read then but pages in counter mode, and key metadata is what it is.
#[test]
fn changed_bytes_are_found() {
    for (algorithm, plaintext_footer) in
        [(Algorithm::AesGcmV1, false), (Algorithm::AesGcmV1, true), (Algorithm::AesGcmCtrV1, false)]
    {
        let (file, _) =
            encrypted(DUCKDB, &policy(16).algorithm(algorithm).plaintext_footer(plaintext_footer));
        let keys = keys(16);
        let (plain, _) = decrypted(&file, Access::new(&keys)).expect("the key");
        let mut unnoticed = 0;
        for at in 0..file.len() {
            let mut changed = file.clone();
            changed[at] ^= 1 << (at % 8);
            match decrypted(&changed, Access::new(&keys)) {
                Ok((bytes, _)) if algorithm == Algorithm::AesGcmCtrV1 => {
                    assert!(bytes != plain && bytes.len() == plain.len(), "byte {at}");
                    unnoticed += 1;
                }
                Ok(_) => panic!("byte {at} of {} was changed unnoticed", file.len()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        if algorithm == Algorithm::AesGcmCtrV1 {
            assert!(unnoticed > 0, "pages in counter mode are not authenticated");
        }
    }
}

#[test]
fn cut_files_are_refused() {
    let (file, _) = encrypted(DUCKDB, &policy(16));
    let keys = keys(16);
    for len in 0..file.len() {
        assert!(decrypted(&file[..len], Access::new(&keys)).is_err(), "{len} bytes");
        assert!(
            encrypt(&mut Cursor::new(&DUCKDB[..len.min(DUCKDB.len() - 1)]), &mut Vec::new(), &policy(16))
                .is_err()
        );
    }
}

#[test]
fn swapped_pages_are_found() {
    // Pages with their headers change places: those of equal length, which the footer does not tell.
    let (file, _) = encrypted(PLAIN, &policy(16));
    let mut pages = Vec::new();
    let mut at = 4;
    let module = |at: usize| 4 + u32_at(&file, at);
    while pages.len() < 40 && at + 8 < file.len() && module(at) < 2000 {
        let len = module(at) + module(at + module(at));
        pages.push(at..at + len);
        at += len;
    }
    let mut swapped = 0;
    for (number, one) in pages.iter().enumerate() {
        for other in pages[number + 1..].iter().filter(|other| other.len() == one.len()) {
            let mut changed = file.clone();
            changed[one.clone()].copy_from_slice(&file[other.clone()]);
            changed[other.clone()].copy_from_slice(&file[one.clone()]);
            let error = decrypted(&changed, Access::new(&keys(16))).expect_err("pages that were swapped");
            let Error::NotAuthentic(place) = &error else { panic!("{error}") };
            assert!(place.path.is_some() && error.to_string().contains("in row group"), "{error}");
            swapped += 1;
        }
    }
    assert!(swapped > 0);
}

#[test]
fn missing_keys_are_named() {
    let policy = policy(16).column("nested", &KEY[4..20], Some(b"the key of nested columns")).expect("a key");
    let (file, _) = encrypted(PLAIN, &policy);
    let error = decrypted(&file, Access::new(&keys(16))).expect_err("no key");
    let Error::MissingKey(Owner::Column { path, row_group: 0, .. }) = &error else { panic!("{error}") };
    assert_eq!(path, "nested.list.list.element");
    let error = decrypted(&file, Access::new(&Keys::new())).expect_err("no key");
    assert!(matches!(error, Error::MissingKey(Owner::Footer)), "{error}");
    let other = keys(16).column("nested", &KEY[5..21]).expect("a key");
    let error = decrypted(&file, Access::new(&other)).expect_err("another key");
    let Error::NotAuthentic(place) = &error else { panic!("{error}") };
    assert_eq!((place.module.kind, place.path.as_deref()), (ModuleKind::ColumnMetaData, Some(&**path)));
    let right = keys(16).column("nested", &KEY[4..20]).expect("a key");
    decrypted(&file, Access::new(&right)).expect("the key");
}

#[test]
fn refusals() {
    let (file, _) = encrypted(PLAIN, &policy(16));
    let refused = |bytes: &[u8], policy: &Policy| {
        let mut out = Vec::new();
        encrypt(&mut Cursor::new(bytes), &mut out, policy).expect_err("a refusal")
    };
    assert!(matches!(refused(&file, &policy(16)), Error::Encrypted));
    assert!(matches!(decrypted(PLAIN, Access::new(&keys(16))), Err(Error::NotEncrypted)));
    assert!(matches!(refused(b"PAR1", &policy(16)), Error::NotParquet));
    assert!(matches!(Policy::new(&KEY[..17]), Err(Error::KeyLength(17))));
    let unknown = policy(16).column("name.more", &KEY, None).expect("a key");
    assert!(matches!(refused(PLAIN, &unknown), Error::NoSuchColumn(path) if path == "name.more"));
    assert!(matches!(policy(16).aad_prefix(&[0; 65_537], true), Err(Error::PrefixLength(65_537))));
    assert_eq!(inspect(&mut Cursor::new(PLAIN)).expect("a file"), None);
}

/// A file of row groups without columns.
fn row_groups(count: u32) -> Vec<u8> {
    let mut footer = vec![0x49, 0xfc];
    let mut left = count;
    while left >= 0x80 {
        footer.push(left as u8 | 0x80);
        left >>= 7;
    }
    footer.push(left as u8);
    footer.resize(footer.len() + count as usize + 1, 0);
    [b"PAR1", &footer[..], &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

#[test]
fn ordinals_end_at_15_bits() {
    encrypted(&row_groups(32_768), &policy(16));
    let mut out = Vec::new();
    let error = encrypt(&mut Cursor::new(row_groups(32_769)), &mut out, &policy(16)).expect_err("too many");
    assert!(matches!(error, Error::Ordinal { of: "row group", found: 32_768 }), "{error}");
}

/// Modules of AES-GCM as another implementation would write them: the associated data by hand, at every kernel.
#[test]
fn modules_at_every_kernel() {
    let context = FileContext::new(Algorithm::AesGcmV1, b"prefix", b"12345678");
    let module = Module { kind: ModuleKind::DataPageHeader, row_group: 0x0102, column: 0x0304, page: 0x0506 };
    assert_eq!(context.aad(&module), b"prefix12345678\x04\x02\x01\x04\x03\x06\x05");
    let index = Module { kind: ModuleKind::OffsetIndex, ..module };
    assert_eq!(context.aad(&index), b"prefix12345678\x07\x02\x01\x04\x03");
    assert_eq!(context.aad(&Module::FOOTER), b"prefix12345678\0");
    assert_eq!(FileContext::with_empty_aad(Algorithm::AesGcmV1).aad(&module), b"");

    let modules: Vec<_> = ModuleKind::ALL
        .iter()
        .flat_map(|kind| [0, 1, 200, 257].map(|page| Module { kind: *kind, page, ..module }))
        .collect();
    let mut seen = 0;
    for algorithm in [Algorithm::AesGcmV1, Algorithm::AesGcmCtrV1] {
        let context = FileContext::new(algorithm, b"prefix", b"12345678");
        for kernel in Aes128::kernels() {
            let key = ModuleKey::with_kernel(&KEY[..16], kernel).expect("a kernel of AES");
            let mut buffers: Vec<_> = modules
                .iter()
                .map(|module| {
                    vec![module.page as u8; algorithm.overhead(module.kind) + usize::from(module.page)]
                })
                .collect();
            let mut jobs: Vec<_> = modules
                .iter()
                .zip(&mut buffers)
                .map(|(module, buffer)| Job::new(&key, *module, buffer))
                .collect();
            context.seal(&mut jobs).expect("random bytes");
            assert!(jobs.iter().all(|job| job.result.is_ok()));
            drop(jobs);
            for (module, buffer) in modules.iter().zip(&buffers) {
                assert_eq!(u32_at(buffer, 0), buffer.len() - 4);
                let len = usize::from(module.page);
                let mut text = buffer[16..16 + len].to_vec();
                if algorithm.authenticates(module.kind) {
                    let tag = buffer[16 + len..].try_into().expect("a tag");
                    let gcm = Gcm::from_cipher(Aes128::new(KEY[..16].first_chunk().expect("a key")));
                    gcm.decrypt_detached(&buffer[4..16], &context.aad(module), text.as_mut_slice(), tag)
                        .expect("its tag");
                } else {
                    let counter = [&buffer[4..16], &[0, 0, 0, 1]].concat();
                    let aes = Aes128::new(KEY[..16].first_chunk().expect("a key"));
                    Ctr::from_cipher(aes, &counter, CounterWidth::Bits32)
                        .and_then(|mut ctr| ctr.apply(text.as_mut_slice()))
                        .expect("a counter");
                }
                assert!(text.iter().all(|byte| *byte == module.page as u8));
            }
            // From one place to another, in both directions: nothing but the text is written when modules are opened.
            let plain: Vec<_> =
                buffers.iter().zip(&modules).map(|(it, module)| vec![module.page as u8; it.len()]).collect();
            let mut sealed: Vec<_> = buffers.iter().map(|it| vec![0xee; it.len()]).collect();
            let places = modules.iter().zip(&plain).zip(&mut sealed);
            let mut jobs: Vec<_> =
                places.map(|((module, from), to)| Job::from_stored(&key, *module, from, to)).collect();
            context.seal(&mut jobs).expect("random bytes");
            assert!(jobs.iter().all(|job| job.result.is_ok()));
            for stored in [&buffers, &sealed] {
                for damage in [0, 1] {
                    let mut from = stored.clone();
                    from.iter_mut().for_each(|it| *it.last_mut().expect("a byte") ^= damage);
                    let mut to: Vec<_> = stored.iter().map(|it| vec![0xee; it.len()]).collect();
                    let places = modules.iter().zip(&from).zip(&mut to);
                    let mut jobs: Vec<_> = places
                        .map(|((module, from), to)| Job::from_stored(&key, *module, from, to))
                        .collect();
                    context.open(&mut jobs);
                    for job in &jobs {
                        let kind = job.module.kind;
                        let refused = damage == 1 && algorithm.authenticates(kind);
                        assert_eq!(job.result, if refused { Err(Fault::NotAuthentic) } else { Ok(()) });
                        let place = algorithm.text(kind, job.buffer.len()).expect("a module");
                        let text = if refused { 0 } else { job.module.page as u8 };
                        // Without a tag, the last byte of the text is the damaged one.
                        let whole = place.end - usize::from(damage == 1 && !refused && !place.is_empty());
                        assert!(job.buffer[place.start..whole].iter().all(|byte| *byte == text));
                        let around = job.buffer[..place.start].iter().chain(&job.buffer[place.end..]);
                        assert!(around.copied().all(|byte| byte == 0xee));
                    }
                }
            }
            // Any ordinal that a kind has tells one module from another.
            for change in [
                |module: &mut Module| module.row_group ^= 1,
                |module: &mut Module| module.column ^= 256,
                |module: &mut Module| module.page ^= 1,
            ] {
                let mut copies = buffers.clone();
                let changed = modules.iter().map(|module| {
                    let mut module = *module;
                    change(&mut module);
                    module
                });
                let mut jobs: Vec<_> =
                    changed.zip(&mut copies).map(|(module, buffer)| Job::new(&key, module, buffer)).collect();
                context.open(&mut jobs);
                for (job, module) in jobs.iter().zip(&modules) {
                    let same = context.aad(&job.module) == context.aad(module)
                        || !algorithm.authenticates(module.kind);
                    assert_eq!(
                        job.result,
                        if same { Ok(()) } else { Err(Fault::NotAuthentic) },
                        "{module:?}"
                    );
                }
            }
            seen += 1;
        }
    }
    assert!(seen >= 2);
}

#[test]
fn faults_of_modules() {
    let context = FileContext::new(Algorithm::AesGcmV1, b"", b"12345678");
    let key = ModuleKey::new(&KEY).expect("a key");
    let fault = |module: Module, len: usize, seal: bool| {
        let mut buffer = vec![0; len];
        let mut jobs = [Job::new(&key, module, &mut buffer)];
        if seal {
            context.seal(&mut jobs).expect("random bytes")
        } else {
            context.open(&mut jobs)
        }
        jobs[0].result
    };
    let page = Module { kind: ModuleKind::DataPage, row_group: 32_767, column: 32_767, page: 32_767 };
    assert_eq!(fault(page, 32, true), Ok(()));
    assert_eq!(fault(page, 31, true), Err(Fault::Length));
    for (stored, len) in [(33, 32), (31, 32), (32, 33), (0, 32), (32, 0)] {
        let (mut from, mut buffer) = (vec![0; stored], vec![0; len]);
        if let Some(declared) = stored.checked_sub(4) {
            from[..4].copy_from_slice(&(declared as u32).to_le_bytes());
        }
        let mut jobs = [Job::from_stored(&key, page, &from, &mut buffer)];
        context.open(&mut jobs);
        assert_eq!(jobs[0].result, Err(Fault::Length));
        context.seal(&mut jobs).expect("random bytes");
        assert_eq!(jobs[0].result, Err(Fault::Length));
    }
    for len in [0, 3, 4, 31, 32] {
        assert_eq!(fault(page, len, false), Err(Fault::Length), "a length field of zero");
    }
    for module in [
        Module { page: 32_768, ..page },
        Module { column: 32_768, ..page },
        Module { row_group: 32_768, ..page },
    ] {
        assert_eq!(fault(module, 32, true), Err(Fault::Ordinal));
    }
    // Kinds without pages do not look at the number of one.
    assert_eq!(fault(Module { kind: ModuleKind::ColumnIndex, page: 65_535, ..page }, 32, true), Ok(()));
}

/// Chunks of more modules than a window, opened in one call.
#[test]
fn chunks_open_where_they_are() {
    let context = FileContext::new(Algorithm::AesGcmV1, b"", b"12345678");
    let key = ModuleKey::new(&KEY[..24]).expect("a key");
    for (pages, dictionary) in [(0, false), (1, true), (63, false), (64, true), (65, false), (300, true)] {
        let place = ChunkPlace { row_group: 7, column: 9, dictionary };
        let mut chunk = Vec::new();
        let mut texts = Vec::new();
        for number in 0..pages {
            let first = dictionary && number == 0;
            let page = if dictionary && !first { number - 1 } else { number };
            let kinds = if first {
                [ModuleKind::DictionaryPageHeader, ModuleKind::DictionaryPage]
            } else {
                [ModuleKind::DataPageHeader, ModuleKind::DataPage]
            };
            for (kind, len) in kinds.into_iter().zip([20 + number % 50, number * 7]) {
                let module = Module { kind, row_group: 7, column: 9, page: page as u16 };
                let mut buffer = vec![number as u8; 32 + len];
                let mut jobs = [Job::new(&key, module, &mut buffer)];
                context.seal(&mut jobs).expect("random bytes");
                assert_eq!(jobs[0].result, Ok(()));
                chunk.extend_from_slice(&buffer);
                texts.push(vec![number as u8; len]);
            }
        }
        let mut opened = chunk.clone();
        let found = context.open_chunk(&key, place, &mut opened).expect("a chunk");
        assert_eq!(found.len(), pages);
        // To a buffer that was longer, shorter or empty before.
        for before in [0, 1, chunk.len(), 3 * chunk.len() + 1] {
            let mut elsewhere = vec![0xee; before];
            let same = context.open_chunk_to(&key, place, &chunk, &mut elsewhere).expect("a chunk");
            assert_eq!((&same, elsewhere.len()), (&found, chunk.len()));
            for range in found.iter().flat_map(|page| [page.header.clone(), page.body.clone()]) {
                assert_eq!(elsewhere[range.clone()], opened[range]);
            }
        }
        for (number, (page, texts)) in found.iter().zip(texts.chunks(2)).enumerate() {
            assert_eq!(page.dictionary, dictionary && number == 0);
            assert_eq!((&opened[page.header.clone()], &opened[page.body.clone()]), (&*texts[0], &*texts[1]));
        }
        if pages > 0 {
            assert_eq!(found.last().expect("pages").stored.end, chunk.len());
            let other = ChunkPlace { dictionary: !dictionary, ..place };
            assert!(matches!(
                context.open_chunk(&key, other, &mut chunk.clone()),
                Err(Error::NotAuthentic(_))
            ));
            let mut elsewhere = Vec::new();
            let refused = context.open_chunk_to(&key, other, &chunk, &mut elsewhere);
            assert!(matches!(refused, Err(Error::NotAuthentic(_))));
            chunk.pop();
            let refused = context.open_chunk_to(&key, place, &chunk, &mut elsewhere);
            assert!(matches!(refused, Err(Error::Malformed { .. })));
            assert!(matches!(context.open_chunk(&key, place, &mut chunk), Err(Error::Malformed { .. })));
        }
    }
}
