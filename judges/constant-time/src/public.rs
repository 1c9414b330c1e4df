//! The list of values that are public by design and still decide a jump or an address. The findings of memcheck and of the
//! steps are checked against it.
//!
//! A finding has to match an entry by the operation during which it was seen and by the function that it is in; any other is
//! a leak. An entry that matches no finding of memcheck is an error, too, and so is an operation in an entry during which
//! nothing is found: so the list stays true. The steps see fewer public values, since nearly all of these are the same under
//! their secrets.

/// A finding that is allowed: the operations and functions that it may be in, and the reason.
pub(crate) struct Public {
    /// The names of operations, in which `*` stands for anything.
    pub(crate) during: &'static [&'static str],
    /// The paths of functions one of which the finding is in. The compiler puts a short function into its caller, so
    /// the callers are among them.
    pub(crate) inside: &'static [&'static str],
    /// Why it is public.
    pub(crate) reason: &'static str,
}

impl Public {
    /// True if the finding may be seen during this operation.
    pub(crate) fn is_during(&self, operation: &str) -> bool {
        self.during.iter().any(|part| matches(part, operation))
    }

    /// True if the finding may be in this function.
    pub(crate) fn is_inside(&self, function: &str) -> bool {
        self.inside.iter().any(|part| matches(part, function))
    }
}

/// True if a text matches a pattern, in which `*` stands for anything.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((front, rest)) => text.strip_prefix(front).is_some_and(|text| {
            let mut starts = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
            starts.any(|at| matches(rest, &text[at..]))
        }),
    }
}

/// All of it.
pub(crate) const PUBLIC: &[Public] = &[
    Public {
        during: &[
            "aez *, decrypt",
            "aez *, a wrong tag",
            "cmac *, verify",
            "cmac *, pieces",
            "cmac *, a wrong tag",
            "hmac *, verify",
            "hmac *, verify a cut tag",
            "hmac *, pieces",
            "hmac *, a wrong tag",
            "batch of *, hmac, verify",
            "batch of *, hmac, wrong tags",
            "batch of *, hmac, verify parts",
            "c, srtp *, unprotect",
            "c, srtp *, wrong tags",
            "c, esp *, open",
            "c, esp *, wrong tags",
            "c, quic *, open",
            "c, quic *, wrong tags",
            "c, hmac *, verify",
            "c, hmac *, a wrong tag",
            "c, packets, operation 35",
            "c, packets, operation 37",
            "uiv, the nonce",
            "uiv, another nonce",
            "cgo, forward, relay *",
            "cgo, client, backward",
            "batch, cgo, forward",
            "c, cgo, forward",
            "c, cgo, client, backward",
            "gcm *, decrypt",
            "gcm *, decrypt, pieces, a short tag",
            "gcm *, a wrong tag",
            "gcm-siv *, decrypt",
            "gcm-siv *, a wrong tag",
            "batch of *, gcm-siv, decrypt",
            "batch of *, gcm-siv, wrong tags",
            "c, gcm-siv *, decrypt",
            "c, gcm-siv *, a wrong tag",
            "c, siv *, decrypt",
            "c, siv *, a wrong tag",
            "eax *, decrypt",
            "eax *, decrypt, pieces, a short tag",
            "eax *, a wrong tag",
            "siv *, decrypt",
            "siv *, a wrong tag",
            "key unwrap *",
            "batch of *, key unwrap*",
            "batch of *, cmac, verify",
            "batch of *, cmac, wrong tags",
            "batch of *, aez, decrypt",
            "batch of *, gcm, decrypt",
            "batch of *, eax, decrypt",
            "batch of *, siv, decrypt",
            "batch of *, aez, wrong tags",
            "batch of *, gcm, wrong tags",
            "batch of *, eax, wrong tags",
            "batch of *, siv, wrong tags",
            "column, gcm, *, decrypt",
            "column, siv, open",
            "c, aead *, decrypt",
            "c, aead *, a wrong tag",
            "c, aead stream, verify",
            "c, aez *, decrypt",
            "c, aez *, a wrong tag",
            "c, column, decrypt",
            "c, key unwrap*",
            "c, cmac *, verify",
            "c, cmac *, a wrong tag",
            "c, packets, operation 17",
            "c, packets, operation 19",
            "c, packets, operation 21",
            "c, packets, operation 23",
            "c, packets, operation *, wrong tags",
        ],
        inside: &["abreast::modes::tag::verdict"],
        reason: "whether a tag is right is the answer of the call",
    },
    Public {
        during: &[
            "eax *, encrypt*",
            "eax *, decrypt*",
            "eax *, a wrong tag",
            "batch of *, eax, *",
            "c, aead *, encrypt*",
            "c, aead *, decrypt",
            "c, aead *, pieces, *",
            "c, packets, operation 18",
        ],
        inside: &[
            "<abreast::modes::eax::Eax<*>>::piece",
            "abreast::packets::eax::eax_keystreams::<*>",
            "<abreast::packets::modes::ctr::CtrBatch as *>::single",
            "<<abreast::ciphers::*>::visit_batch<*, abreast::packets::modes::ctr::CtrBatch>>*::run",
            "<abreast::packets::*Window<*, abreast::packets::modes::ctr::CtrBatch>>::claim*",
            "abreast_constant_time::operations::modes::tagged",
        ],
        reason: "EAX works on a message in two calls where the low 32 bits of its counter wrap inside it (book/src/security.md)",
    },
    Public {
        during: &[
            "siv *, encrypt",
            "siv *, decrypt",
            "siv *, a wrong tag",
            "batch of *, siv, *",
            "c, siv *",
            "c, packets, operation 26*",
            "c, packets, operation 27*",
            "column, siv, *",
        ],
        inside: &[
            "<abreast::modes::siv::Siv<*>>::xor",
            "<<abreast::ciphers::*>::visit<abreast::loops::ctr::CtrKeystream>*::run",
            "<<abreast::ciphers::*>::by_rounds<abreast::loops::ctr::CtrKeystream>*::run",
            "<<abreast::ciphers::*>::visit_batch<*, abreast::packets::modes::ctr::CtrBatch>>*::run",
            "<<abreast::packets::modes::ctr::CtrBatch as *>::in_turn<*>*::run",
            "<abreast::packets::*Window<*, abreast::packets::modes::ctr::CtrBatch>>::claim*",
            "<abreast::packets::packet::Packet<abreast::packets::key::CipherKey>>::ctr",
            "abreast_constant_time::operations::modes::siv",
        ],
        reason: "the counters of SIV begin with its tag, which goes along with the message",
    },
    Public {
        during: &[
            "cbc * padded, decrypt",
            "cbc * padded, pieces",
            "c, cbc padded, *, decrypt",
            "c, cbc padded, *, pieces",
        ],
        inside: &[
            "<abreast::modes::cbc::Cbc<*>>::decrypt_pkcs7",
            "abreast::modes::cbc::unpadded",
            "<abreast::modes::block_buffer::BlockBuffer>::finish::<*",
            "abreast_padded_stream_finish",
            "<abreast_capi::modes::UntilFinished<abreast_capi::modes::padded::Blocks>>::finish::<*",
        ],
        reason: "whether padding is right, and how long it is, is the answer of the call",
    },
    Public {
        during: &["sealed, *, open", "sealed, *, a wrong key"],
        inside: &["<abreast_sealed::filekey::FileKey>::from_header", "abreast_sealed::filekey::same*"],
        reason: "whether a file is sealed with this key is the answer of the call",
    },
    Public {
        during: &["xts key*", "c, xts"],
        inside: &["<abreast::modes::xts::Xts<*>>::new"],
        reason: "whether the two keys of XTS are equal is the answer of the call",
    },
    Public {
        during: &["c, xtea, round keys", "c, xtea, encrypt", "c, xtea, decrypt"],
        // The second where the first was inlined.
        inside: &[
            "<abreast::ciphers::two_words::keys::TwoWordsKeys>::expanded",
            "<abreast::ciphers::xtea::Xtea>::from_round_keys",
        ],
        reason: "round keys of XTEA that are handed in are looked at for the four words that they come from",
    },
];
