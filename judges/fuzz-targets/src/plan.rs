//! Plans of sealed files as text, and the keys of a file as bytes.

use abreast_sealed::{Aead, FileKey, Format, Key, Plan, PlannedPart};

/// The parts that are sealed are no longer than this.
const MOST: u64 = 300_000;

/// The first byte says which of the two the others are.
pub(crate) fn run(data: &[u8]) {
    match data.split_first() {
        Some((0..128, text)) => plan(text),
        Some((_, bytes)) => file_key(bytes),
        None => {}
    }
}

/// A text that is accepted is the one spelling of its plan; parts follow each other without a gap, and open after they
/// were sealed.
fn plan(text: &[u8]) {
    let Ok(text) = str::from_utf8(text) else { return };
    let Ok(plan) = text.parse::<Plan>() else { return };
    assert_eq!(plan.to_string(), text, "another spelling of a plan was accepted");
    let count = plan.parts().len() as u32;
    assert!(plan.part(count).is_err());
    let part = |number| plan.part(number).expect("one of them");
    let (first, last) = (part(0), part(count - 1));
    assert_eq!((first.plain.start, first.sealed.start, first.first_chunk), (0, 0, 0));
    assert_eq!((last.plain.end, last.sealed.end), (plan.message_len(), plan.sealed_len()));
    let key = Key::new(Aead::Aes256Gcm, &[7; 32]).expect("a key of its length");
    let file_key = match plan.format() {
        Format::Cobblestone => FileKey::of_plan(&key, &plan),
        Format::Ags1 => FileKey::ags1(&[7; 32], b"an AAD prefix"),
    };
    let cipher = file_key.expect("keys of the format of the plan").cipher();
    for number in [0, count / 2, count.saturating_sub(2), count - 1] {
        let this = part(number);
        if number + 1 < count {
            let next = part(number + 1);
            assert_eq!((this.plain.end, this.sealed.end), (next.plain.start, next.sealed.start));
        }
        assert_eq!(this.last, number == count - 1);
        let len = |part: &PlannedPart| (part.plain.end - part.plain.start) as usize;
        if this.sealed.end - this.sealed.start <= MOST {
            let message: Vec<u8> = (0..len(&this)).map(|at| at as u8).collect();
            let mut sealed = vec![0; (this.sealed.end - this.sealed.start) as usize];
            cipher.seal_part(&this, &message, &mut sealed).expect("a part of its length");
            let mut opened = vec![0; message.len()];
            cipher.open_part(&this, &sealed, &mut opened).expect("the part that was sealed");
            assert_eq!(opened, message);
        }
    }
}

/// Bytes that are accepted are those that the keys give again.
fn file_key(bytes: &[u8]) {
    if let Ok(file_key) = FileKey::from_bytes(bytes) {
        assert_eq!(**file_key.to_bytes(), *bytes);
        assert!(file_key.format() == Format::Ags1 || bytes.ends_with(file_key.header()));
    }
}
