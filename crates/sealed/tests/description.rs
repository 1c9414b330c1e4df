//! The vectors in the description of the format, `book/src/sealed-format.md`: sealed again under their salts, and opened.
//! A symbolic link beside this file leads to the description, so that a package of the crate holds its text.

use std::collections::HashMap;
use std::fs;

use abreast_sealed::{Format, Header, Key, Layout, PassphraseLine, SALT, open};
use data_encoding::HEXLOWER;

/// The vectors, each a table of names and values.
fn vectors() -> Vec<HashMap<String, String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sealed-format.md");
    let text = fs::read_to_string(path).expect("the description of the format");
    let blocks = text.split("```vector\n").skip(1).map(|block| block.split("```").next().unwrap());
    let table = |block: &str| {
        let mut table: HashMap<String, String> = HashMap::new();
        let mut name = String::new();
        for line in block.lines() {
            if let Some(more) = line.strip_prefix("  ") {
                table.get_mut(&name).unwrap().push_str(more.trim());
            } else {
                let (before, value) = line.split_once(':').unwrap();
                name = before.to_owned();
                table.insert(name.clone(), value.trim().to_owned());
            }
        }
        table
    };
    blocks.map(table).collect()
}

#[test]
fn each_vector_is_sealed_and_opened() {
    let vectors = vectors();
    assert!(vectors.len() >= 6);
    for vector in &vectors {
        let hex = |name: &str| HEXLOWER.decode(vector[name].as_bytes()).unwrap();
        let what = &vector["vector"];
        let (key, line) = match vector.get("key file") {
            Some(file) => (Key::read(&mut file.as_bytes(), None).unwrap(), None),
            None => {
                let line = format!("{}\n", vector["passphrase line"]);
                let line = PassphraseLine::parse(line.as_bytes()).unwrap();
                let key = Key::new(line.aead(), &hex("stretched key")).unwrap();
                #[cfg(feature = "passphrase")]
                assert_eq!(
                    line.stretch(vector["passphrase"].as_bytes()).unwrap().bytes(),
                    key.bytes(),
                    "{what}"
                );
                (key, Some(line))
            }
        };
        let message = match vector["message"].strip_suffix(" bytes by the rule") {
            Some(len) => (0..len.parse::<usize>().unwrap()).map(|i| (i % 251) as u8).collect(),
            None => hex("message"),
        };
        let salt: [u8; SALT] = hex("salt").try_into().unwrap();
        let header = Header::with_salt(&key, line, &salt);
        let mut file = header.to_bytes();
        assert!(file.ends_with(&hex("commitment")), "{what}");
        let start = file.len();
        file.resize(
            start + Layout::of_message(Format::Cobblestone, message.len() as u64).unwrap().body() as usize,
            0,
        );
        header.unlock(&key).unwrap().seal_chunks(0, &message, true, &mut file[start..]).unwrap();
        assert_eq!(file.len().to_string(), vector["sealed length"], "{what}");
        match vector.get("sealed") {
            Some(sealed) => assert_eq!(HEXLOWER.encode(&file), *sealed, "{what}"),
            None => {
                let first = hex("first chunk begins");
                assert_eq!(file[start..start + first.len()], first, "{what}");
                assert!(file.ends_with(&hex("last tag")), "{what}");
            }
        }
        assert!(open(&key, &file).unwrap() == message, "{what}");
    }
}
