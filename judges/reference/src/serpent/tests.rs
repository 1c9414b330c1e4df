//! Published answers and properties of the bit permutations of Serpent.

use super::*;

/// The key `80 00 ..` of NESSIE's first vectors.
fn first_key(len: usize) -> Vec<u8> {
    let mut key = vec![0; len];
    key[0] = 0x80;
    key
}

#[test]
fn first_vectors_of_nessie() {
    let cases = [
        (16, 0x264e5481eff42a4606abda06c0bfda3d),
        (24, 0x9e274ead9b737bb21efcfca548602689),
        (32, 0xa223aa1288463c0e2be38ebd825616c0_u128),
    ];
    for (len, ciphertext) in cases {
        let cipher = Serpent::new(&first_key(len));
        assert_eq!(cipher.encrypt_block(&[0; 16]), ciphertext.to_be_bytes());
        assert_eq!(cipher.decrypt_block(&ciphertext.to_be_bytes()), [0; 16]);
    }
}

#[test]
fn first_vector_of_the_submission() {
    let cipher = SubmissionOrder::new(&first_key(16));
    let ciphertext = 0x49afbfad9d5a34052cd8ffa5986bd2dd_u128.to_be_bytes();
    assert_eq!(cipher.encrypt_block(&[0; 16]), ciphertext);
    assert_eq!(cipher.decrypt_block(&ciphertext), [0; 16]);
}

/// The numbers of the bits that are set.
fn bits_of(set: u128) -> Vec<u32> {
    (0..128).filter(|bit| set >> bit & 1 == 1).collect()
}

#[test]
fn first_entries_of_the_tables() {
    assert_eq!(IP[..8], [0, 32, 64, 96, 1, 33, 65, 97]);
    assert_eq!(FP[..8], [0, 4, 8, 12, 16, 20, 24, 28]);
    assert_eq!(bits_of(LT[0]), [16, 52, 56, 70, 83, 94, 105]);
    assert_eq!(bits_of(LT[1]), [72, 114, 125]);
    assert_eq!(bits_of(LT[2]), [2, 9, 15, 30, 76, 84, 126]);
    assert_eq!(bits_of(LT[3]), [36, 90, 103]);
    assert_eq!(bits_of(INV_LT[0]), [53, 55, 72]);
    assert_eq!(bits_of(INV_LT[1]), [1, 5, 20, 90]);
    assert_eq!(bits_of(INV_LT[2]), [15, 102]);
    assert_eq!(bits_of(INV_LT[3]), [3, 31, 90]);
}

#[test]
fn inverse_steps_undo_the_steps() {
    let start = 0x00112233445566778899aabbccddeeff;
    for (table, inverse) in SBOXES.iter().zip(&INVERSE_SBOXES) {
        assert_eq!(s_hat(inverse, s_hat(table, start)), start);
    }
    assert_eq!(transform(&INV_LT_SUMS, transform(&LT_SUMS, start)), start);
    assert_eq!(permute(&FP, permute(&IP, start)), start);
}

/// Checks the two criteria of the paper that a slip of the pen is likely to break: no differential has a probability above
/// 1/4, and one bit never makes one bit.
#[test]
fn s_boxes_are_as_the_paper_wants_them() {
    for table in SBOXES {
        for input in 1..16 {
            let mut counts = [0; 16];
            for x in 0..16 {
                counts[usize::from(table[x] ^ table[x ^ input])] += 1;
            }
            for (output, count) in counts.into_iter().enumerate() {
                assert!(count <= 4);
                assert!(count == 0 || input.count_ones() > 1 || output.count_ones() > 1);
            }
        }
    }
}

#[test]
fn a_short_key_is_the_long_one_with_its_padding() {
    for len in 16..32 {
        let mut long = vec![0x5a; len];
        long.push(1);
        long.resize(32, 0);
        let short = Serpent::new(&long[..len]);
        assert_eq!(short.encrypt_block(&[7; 16]), Serpent::new(&long).encrypt_block(&[7; 16]), "{len}");
    }
}

#[test]
fn keys_do_not_print() {
    assert_eq!(format!("{:?}", Serpent::new(&[0x42; 16])), "Serpent { .. }");
    assert_eq!(format!("{:?}", SubmissionOrder::new(&[0x42; 16])), "SubmissionOrder { .. }");
}

#[test]
#[should_panic(expected = "a Serpent key has 16 to 32 bytes, not 15")]
fn shorter_keys_panic() {
    Serpent::new(&[0; 15]);
}

#[test]
#[should_panic(expected = "a Serpent key has 16 to 32 bytes, not 33")]
fn longer_keys_panic() {
    Serpent::new(&[0; 33]);
}
