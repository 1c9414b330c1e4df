//! Pointers, lengths and overlaps that are accepted and refused.

use super::*;

#[test]
fn what_can_be_no_buffer_is_refused() {
    let byte = [7];
    let (none, some) = (In(std::ptr::null()), In(byte.as_ptr()));
    assert_eq!(none.bytes(0), Ok(&[][..]));
    assert_eq!(none.bytes(1), Err(Status::NullPointer));
    assert_eq!(some.bytes(1), Ok(&[7][..]));
    assert_eq!(some.bytes(isize::MAX as usize + 1), Err(Status::Length));
    assert_eq!(Out(std::ptr::null_mut()).bytes(1, &[]), Err(Status::NullPointer));
    // Not so long, but beyond the last address.
    let end = In(std::ptr::without_provenance(usize::MAX - 3));
    assert_eq!(end.bytes(4), Err(Status::Length));
    let words = [7_u32; 65];
    let crooked = Words(words.as_ptr().cast::<u8>().wrapping_add(1).cast());
    assert_eq!(crooked.array(), Err(Status::Alignment));
    assert_eq!(Words(words.as_ptr()).array(), Ok(&[7; 64]));
}

#[test]
fn in_place_or_apart() {
    let mut memory = [0_u8; 64];
    let start = memory.as_mut_ptr();
    let io = |from: usize, to: usize| {
        let (input, output) = (In(start.wrapping_add(from)), Out(start.wrapping_add(to)));
        in_out(&input, &output, 16, &[]).map(|io| io.len())
    };
    assert_eq!((io(0, 0), io(0, 16), io(16, 0)), (Ok(16), Ok(16), Ok(16)));
    assert_eq!(
        (io(0, 15), io(15, 0), io(1, 0)),
        (Err(Status::Overlap), Err(Status::Overlap), Err(Status::Overlap))
    );
}

#[test]
fn outputs_are_apart_from_all_else() {
    let mut memory = [0_u8; 64];
    let (front, back) = memory.split_at_mut(16);
    let output = Out(front.as_mut_ptr());
    assert_eq!(output.bytes(16, &[Span::of(back), Span::of(&[0; 0])]).map(|bytes| bytes.len()), Ok(16));
    assert_eq!(output.bytes(17, &[Span::of(back)]), Err(Status::Overlap));
}

#[test]
fn places_are_aligned_and_apart() {
    let mut numbers = [0_u64; 4];
    let start = numbers.as_mut_ptr();
    let refused = |place: *mut u64, others: &[Span]| Place(place).get(others).err();
    let second = Span { start: start.addr() + 8, len: 8 };
    assert_eq!(refused(start, &[second]), None);
    assert_eq!(refused(start.wrapping_add(1), &[second]), Some(Status::Overlap));
    assert_eq!(refused(start.wrapping_byte_add(4), &[]), Some(Status::Alignment));
    assert_eq!(refused(std::ptr::null_mut(), &[]), Some(Status::NullPointer));
    Place(start.wrapping_add(2)).get(&[second]).expect("a place").write(7);
    assert_eq!(numbers, [0, 0, 7, 0]);
}

#[test]
fn arrays_are_aligned_and_not_too_long() {
    let numbers = [1_u64, 2, 3];
    // SAFETY: those that there are, or none.
    let of = |pointer, count| unsafe { values::<u64>(pointer, count) };
    assert_eq!(of(numbers.as_ptr(), 3), Ok(&numbers[..]));
    assert_eq!(of(std::ptr::null(), 0), Ok(&[][..]));
    assert_eq!(of(std::ptr::null(), 1), Err(Status::NullPointer));
    assert_eq!(of(numbers.as_ptr().wrapping_byte_add(4), 1), Err(Status::Alignment));
    assert_eq!(of(numbers.as_ptr(), usize::MAX / 8), Err(Status::Length));
    assert_eq!(of(numbers.as_ptr(), usize::MAX), Err(Status::Length));
}
