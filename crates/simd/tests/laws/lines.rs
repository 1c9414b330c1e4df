//! Messages side by side are where they were, and what only some have is not had by all.

use abreast_simd::lines::Lines;
use inout::InOutBuf;

#[test]
fn messages_stay_apart() {
    let mut messages = [vec![1; 40], vec![2; 64], vec![3; 33]];
    let source = [9; 50];
    let mut copied = [0; 50];
    let mut lines = Lines::<5>::new();
    for message in &mut messages {
        lines.push(message.as_mut_slice().into());
    }
    lines.push(InOutBuf::new(&source, &mut copied).unwrap());
    assert_eq!((lines.used(), lines.common()), (4, 33));

    for lane in 0..4 {
        let mut parts = lines.parts_mut::<16>(17);
        let sum = parts.input(lane).map(|byte| byte + 10 * lane as u8);
        *parts.output(lane) = sum;
    }
    assert_eq!(lines.parts::<16>(17).get(0), &[1; 16]);
    assert_eq!(lines.parts::<16>(17).get(3), &[9; 16], "what is read is apart from what is written");
    // A lane without a message reads the first one.
    assert_eq!(lines.input(4), [1; 40]);
    lines.output(1)[63] = 77;

    assert_eq!(messages[0], [1; 40]);
    assert_eq!(
        (&messages[1][..17], &messages[1][17..33], messages[1][63]),
        (&[2; 17][..], &[12; 16][..], 77)
    );
    assert_eq!((&messages[2][..17], &messages[2][17..]), (&[3; 17][..], &[23; 16][..]));
    assert_eq!((&copied[..17], &copied[17..33], &copied[33..]), (&[0; 17][..], &[39; 16][..], &[0; 17][..]));
}

#[test]
fn no_message() {
    let mut lines = Lines::<3>::new();
    assert_eq!((lines.used(), lines.common()), (0, 0));
    assert!(lines.input(2).is_empty() && lines.output(2).is_empty());
}

#[test]
#[should_panic(expected = "common")]
fn not_what_one_lacks() {
    let mut lines = Lines::<2>::new();
    lines.push_source(&[0; 64]);
    lines.push_source(&[0; 31]);
    let _ = lines.parts::<16>(16).get(0);
}

#[test]
#[should_panic(expected = "common")]
fn not_beyond_all_numbers() {
    let mut lines = Lines::<2>::new();
    lines.push_source(&[0; 64]);
    let _ = lines.parts::<16>(usize::MAX - 7).get(0);
}

#[test]
#[should_panic(expected = "writable")]
fn nothing_is_written_to_what_is_read() {
    let mut lines = Lines::<2>::new();
    lines.push_source(&[0; 64]);
    let _ = lines.parts_mut::<16>(0).output(0);
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn no_more_than_there_is_room_for() {
    let mut lines = Lines::<2>::new();
    for _ in 0..3 {
        lines.push_source(&[0; 64]);
    }
}
