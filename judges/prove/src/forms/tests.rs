use std::time::Duration;

use super::*;

/// A generator of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % limit
    }
}

fn start() {
    begin(Duration::from_secs(60));
}

/// The value of a word under some assignments.
fn values(words: &[&[Bit]], seed: u64) -> Vec<u128> {
    let mut values = Values::random(seed);
    words.iter().map(|word| values.word(word)).collect()
}

#[test]
fn expressions_have_the_values_of_their_operations() {
    start();
    let mut random = Random(1);
    // Words of eight bits: variables first, then results of random operations, with the operation.
    let mut words: Vec<Word> = (0..3).map(|_| variables(8)).collect();
    words.push(number(0x5b, 8));
    type Made = (usize, usize, usize, usize);
    let mut made: Vec<Made> = Vec::new();
    let swap: Vec<u8> = (0..=255_u8).map(|x| x.wrapping_mul(x).wrapping_add(x / 3)).collect();
    let shared: &'static [u8] = swap.clone().leak();
    for _ in 0..600 {
        let (op, i, j) = (random.below(9), random.below(words.len()), random.below(words.len()));
        let (a, b) = (words[i].clone(), words[j].clone());
        let each = |f: fn(Bit, Bit) -> Bit| a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect::<Word>();
        let word = match op {
            0 => each(xor),
            1 => each(and),
            2 => each(or),
            3 => add(&a, &b),
            4 => sub(&a, &b),
            5 => name(&a),
            6 => table(&a, 8, &swap),
            7 => opaque_table(&a, 8, shared),
            _ => add_carry(&a, &b, ONE).0,
        };
        // Beyond some size everything is named, as specifications do.
        let word = if random.below(2) == 0 { name(&word) } else { word };
        made.push((op, i, j, words.len()));
        words.push(word);
    }
    assert!(!exhausted());
    for seed in 0..20 {
        let all = values(&words.iter().map(Vec::as_slice).collect::<Vec<_>>(), seed);
        for (op, i, j, result) in &made {
            let (a, b) = (all[*i] as u8, all[*j] as u8);
            let expected = match op {
                0 => a ^ b,
                1 => a & b,
                2 => a | b,
                3 => a.wrapping_add(b),
                4 => a.wrapping_sub(b),
                5 => a,
                6 | 7 => swap[usize::from(a)],
                _ => a.wrapping_add(b).wrapping_add(1),
            };
            assert_eq!(all[*result] as u8, expected, "operation {op}, seed {seed}");
        }
    }
}

#[test]
fn laws_hold_in_form() {
    start();
    let [x, y, z] = [variables(32), variables(32), variables(32)];
    assert_eq!(sub(&add(&x, &y), &y), x);
    assert_eq!(add(&add(&x, &y), &z), add(&y, &add(&z, &x)));
    assert_eq!(add(&x, &number(5, 32)), sub(&x, &number((1 << 32) - 5, 32)));
    assert_eq!(negate(&negate(&x)), x);
    assert_eq!(add(&x, &number(1, 32)), sub(&x, &number(0xffff_ffff, 32)));
    // Twice a word is the word moved up.
    assert_eq!(add(&x, &x), [&[ZERO], &x[..31]].concat());
    let four = add(&add(&x, &x), &add(&x, &x));
    assert_eq!(add(&four, &y), add(&y, &[&[ZERO, ZERO], &x[..30]].concat()));
    assert_eq!(add(&four, &four), [&[ZERO; 3][..], &x[..29]].concat());
    // Parts of a word, and a mask.
    let parts = [&x[..8], &[ZERO; 24]].concat();
    assert_eq!(add(&parts, &[&[ZERO; 8], &x[8..]].concat()), x);
    assert_eq!(negate(&[&x[..1], &[ZERO; 31]].concat()), vec![x[0]; 32]);
    let sparse: Word = (0..32).map(|i| if i % 8 == 0 { x[i] } else { ZERO }).collect();
    let mask: Word = (0..32).map(|i| x[i / 8 * 8]).collect();
    assert_eq!(sub(&[&[ZERO; 8], &sparse[..24]].concat(), &sparse), mask);
    let (a, b, c) = (x[0], x[1], x[2]);
    assert_eq!(and(a, xor(b, c)), xor(and(a, b), and(a, c)));
    assert_eq!(or(a, b), xor(xor(a, b), and(a, b)));
    assert_eq!(not(not(a)), a);
}

#[test]
fn logic_reaches_the_form_of_a_table() {
    start();
    let x = variables(8);
    let sum = add(&x, &number(3, 8));
    let values: Vec<u8> = (0..=255_u8).map(|x| u8::from(x.count_ones() >= 4)).collect();
    let by_table = table(&sum, 1, &values)[0];
    // At least four ones, by a count.
    let mut count = vec![ZERO; 4];
    for bit in &sum {
        count = add_carry(&count, &[*bit, ZERO, ZERO, ZERO], ZERO).0;
    }
    assert_eq!(or(count[2], count[3]), by_table);
}

#[test]
fn names_stand_for_polynomials_reached_later() {
    start();
    let x = variables(4);
    let product = and(xor(x[0], x[1]), not(x[2]));
    let named = name(&[product])[0];
    assert_ne!(named, product);
    assert_eq!(and(not(x[2]), xor(x[1], x[0])), named);
    assert_eq!(xor(and(x[0], not(x[2])), and(x[1], not(x[2]))), named);
    assert_eq!(not(product), not(named));
}

#[test]
fn a_closed_table_undoes_its_inverse() {
    start();
    static PLUS_5: [u8; 16] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4];
    static MINUS_5: [u8; 16] = [11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    let x = add(&variables(4), &number(3, 4));
    let there = opaque_table(&x, 4, &PLUS_5);
    assert_eq!(opaque_table(&there, 4, &MINUS_5), x);
    assert_ne!(opaque_table(&there, 4, &PLUS_5), x);
    let turned: Word = there.iter().rev().copied().collect();
    assert_ne!(opaque_table(&turned, 4, &MINUS_5), x);
}

#[test]
fn a_proof_without_time_is_exhausted() {
    begin(Duration::ZERO);
    assert!(exhausted());
    start();
    assert!(!exhausted());
}
