//! The line of text with which a file sealed with a passphrase begins.

use abreast_sealed::{Costs, HEADER, Header, MAX_LINE, PassphraseLine};

/// A line is accepted in one spelling only and with bounded costs, alone and at the beginning of a file.
pub(crate) fn run(data: &[u8]) {
    let parsed = PassphraseLine::parse(data);
    if let Ok(line) = &parsed {
        assert_eq!(line.to_string().as_bytes(), data);
        assert!(data.len() <= MAX_LINE);
        // The most that a file may ask of the machine: 1 GiB of memory, 4 GiB written, 16 lanes.
        let Costs { memory, passes, lanes } = line.costs();
        assert!((8 << 10..=1 << 20).contains(&memory) && (1..=16).contains(&lanes));
        assert!(passes >= 1 && u64::from(memory) * u64::from(passes) <= 4 << 20);
    }
    let file = [data, &[0; HEADER]].concat();
    let mut rest = file.as_slice();
    match (parsed, Header::read(&mut rest)) {
        (Ok(line), Ok(header)) => {
            assert_eq!(header.passphrase_line(), Some(&line));
            assert!(rest.is_empty() && header.body_offset() == file.len() as u64);
        }
        (Ok(_), Err(error)) => panic!("a line that parses is refused in a file: {error}"),
        // The file may begin with a shorter line, or with none.
        (Err(_), _) => {}
    }
}
