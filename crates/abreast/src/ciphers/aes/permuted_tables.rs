//! The tables of [`permuted`](super::permuted), computed from its two fields when this is compiled.

/// Functions of one element of GF(16), or of a byte as the sum of those of its lower and its upper half.
type Lookup = [u8; 16];
pub(super) type Lookups = [Lookup; 2];

/// An index for which a lookup gives 0: the result of a division by 0.
const INFINITE: u8 = 0x80;

/// A product in GF(16), modulo `x^4 + x + 1`.
const fn times_16(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 4);
    while bit > 0 {
        bit -= 1;
        product = (product << 1) ^ ((product >> 3) * 0x13);
        product ^= (b >> bit & 1) * a;
    }
    product
}

/// The inverse of each element of GF(16).
pub(super) const INVERSE: Lookup = {
    let mut inverses = [INFINITE; 16];
    let mut x = 1;
    while x < 16 {
        let mut y = 1;
        while y < 16 {
            if times_16(x, y) == 1 {
                inverses[x as usize] = y;
            }
            y += 1;
        }
        x += 1;
    }
    inverses
};

/// The first element for which `z^2 + a z + a` has no root.
const A: u8 = {
    let mut a = 1;
    loop {
        let (mut z, mut has_root) = (0, false);
        while z < 16 {
            has_root |= times_16(z, z) ^ times_16(a, z) ^ a == 0;
            z += 1;
        }
        if !has_root {
            break a;
        }
        a += 1;
    }
};

/// `a` divided by each element.
pub(super) const A_DIVIDED: Lookup = {
    let mut quotients = INVERSE;
    let mut k = 1;
    while k < 16 {
        quotients[k] = times_16(A, INVERSE[k]);
        k += 1;
    }
    quotients
};

/// A product in GF(16)[t]. The lower half of a byte is `k`, the upper one `i`.
const fn times_tower(x: u8, y: u8) -> u8 {
    let (k, i, l, m) = (x & 15, x >> 4, y & 15, y >> 4);
    let upper = times_16(i, m);
    let low = times_16(k, l) ^ times_16(A, upper);
    let high = times_16(k, m) ^ times_16(i, l) ^ times_16(A, upper);
    high << 4 | low
}

/// The powers of an element of GF(16)[t] that is a root of the polynomial of AES, which make an isomorphism.
const POWERS: [u8; 8] = {
    let mut root = 2;
    loop {
        let mut powers = [1; 9];
        let mut i = 1;
        while i < 9 {
            powers[i] = times_tower(powers[i - 1], root);
            i += 1;
        }
        if powers[8] ^ powers[4] ^ powers[3] ^ powers[1] ^ powers[0] == 0 {
            let [a, b, c, d, e, f, g, h, _] = powers;
            break [a, b, c, d, e, f, g, h];
        }
        root += 1;
    }
};

/// A linear function, given by the image of each bit.
const fn linear(basis: &[u8; 8], x: u8) -> u8 {
    let (mut sum, mut bit) = (0, 0);
    while bit < 8 {
        sum ^= (x >> bit & 1) * basis[bit];
        bit += 1;
    }
    sum
}

/// From GF(16)[t] to the field of AES.
const TO_AES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut x = 0;
    while x < 256 {
        bytes[linear(&POWERS, x as u8) as usize] = x as u8;
        x += 1;
    }
    bytes
};

/// A product in the field of AES.
const fn times_aes(a: u8, b: u8) -> u8 {
    let (mut product, mut bit) = (0, 8);
    while bit > 0 {
        bit -= 1;
        product = (product << 1) ^ ((product >> 7) * 0x1b);
        product ^= (b >> bit & 1) * a;
    }
    product
}

/// The linear part of the S-box after the inversion (FIPS 197, section 5.1.1).
const fn affine(x: u8) -> u8 {
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4)
}

/// Its inverse.
const fn inverse_affine(x: u8) -> u8 {
    x.rotate_left(1) ^ x.rotate_left(3) ^ x.rotate_left(6)
}

/// The constant of the S-box.
pub(super) const CONSTANT: u8 = 0x63;

/// The states of encryption between rounds: elements of GF(16)[t], of which `SubBytes` takes the inverse.
pub(super) const ENCRYPTED: [u8; 8] = POWERS;

/// The states of decryption between rounds: the elements that `InvSubBytes` inverts.
pub(super) const DECRYPTED: [u8; 8] = {
    let mut basis = [0; 8];
    let mut bit = 0;
    while bit < 8 {
        basis[bit] = linear(&POWERS, inverse_affine(1 << bit));
        bit += 1;
    }
    basis
};

/// A linear function of bytes as tables of its two halves.
const fn of_bytes(basis: &[u8; 8]) -> Lookups {
    let mut tables = [[0; 16]; 2];
    let mut x = 0;
    while x < 16 {
        tables[0][x] = linear(basis, x as u8);
        tables[1][x] = linear(basis, (x as u8) << 4);
        x += 1;
    }
    tables
}

/// A linear function of the inverse as tables of the two quotients: the inverse in the field of AES, the linear part of the
/// S-box if `encrypt`, a product with `factor`, and then the form of a state, if another round follows.
const fn of_inverse(encrypt: bool, factor: u8, state: Option<&[u8; 8]>) -> Lookups {
    let mut tables = [[0; 16]; 2];
    let mut which = 0;
    while which < 2 {
        let mut n = 1;
        while n < 16 {
            let [p, q] = if which == 0 { [INVERSE[n], 0] } else { [0, INVERSE[n]] };
            let i = times_16(INVERSE[A as usize], p ^ times_16(INVERSE[A as usize], p ^ q));
            let inverse = TO_AES[(i << 4 | p) as usize];
            let byte = times_aes(factor, if encrypt { affine(inverse) } else { inverse });
            tables[which][n] = match state {
                Some(basis) => linear(basis, byte),
                None => byte,
            };
            n += 1;
        }
        which += 1;
    }
    tables
}

pub(super) const TO_ENCRYPT: Lookups = of_bytes(&ENCRYPTED);
pub(super) const SUB: Lookups = of_inverse(true, 1, Some(&ENCRYPTED));
pub(super) const SUB_DOUBLED: Lookups = of_inverse(true, 2, Some(&ENCRYPTED));
pub(super) const SUB_LAST: Lookups = of_inverse(true, 1, None);
pub(super) const TO_DECRYPT: Lookups = of_bytes(&DECRYPTED);
/// The coefficients of `InvMixColumns`, from the element itself to that three rows on.
pub(super) const INV_SUB: [Lookups; 4] = [
    of_inverse(false, 14, Some(&DECRYPTED)),
    of_inverse(false, 11, Some(&DECRYPTED)),
    of_inverse(false, 13, Some(&DECRYPTED)),
    of_inverse(false, 9, Some(&DECRYPTED)),
];
pub(super) const INV_SUB_LAST: Lookups = of_inverse(false, 1, None);

/// `ShiftRows` on the bytes of a block, or its inverse.
pub(super) const fn shifted_rows(inverse: bool) -> [u8; 16] {
    let mut places = [0; 16];
    let mut at = 0;
    while at < 16 {
        let (row, column) = (at % 4, at / 4);
        let shift = if inverse { 4 - row } else { row };
        places[at] = (4 * ((column + shift) % 4) + row) as u8;
        at += 1;
    }
    places
}
