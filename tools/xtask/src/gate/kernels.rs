//! The table of kernels that the gate asks for.

/// Kernels that have to be there: every pairing of a token, a key and a job.
pub(super) struct Expected {
    /// First part of the target triple; empty for every target.
    pub(super) arch: &'static str,
    /// The instruction sets.
    pub(super) tokens: &'static [&'static str],
    /// The types or files that the closure is made for: those with the round keys, or those of the passes.
    pub(super) keys: &'static [&'static str],
    /// The jobs that the closure does, in lists.
    pub(super) jobs: &'static [&'static [&'static str]],
}

/// AES is compiled for AES-128 and for the longer keys, and bit-sliced for all of them; Serpent once; TEA and XTEA once for
/// both.
const AES: &[&str] = &["AesKey<11>", "AesKey<15>"];
const AES_SLICED: &[&str] = &["aes::bit_sliced"];
const SERPENT: &[&str] = &["abreast::ciphers::serpent::Serpent"];
const TWO_WORDS: &[&str] = &["two_words::TwoWordsKey"];
/// The loops of the modes for any block.
const JOBS: &[&str] =
    &["ecb::EcbBlocks", "ctr::CtrKeystream", "cbc::CbcDecrypt", "cfb::CfbDecrypt", "eax::CtrMac"];
/// The loops whose blocks wait for each other: by AES instructions on a register of one block.
const CHAINS: &[&str] =
    &["cbc::CbcEncrypt", "cfb::CfbEncrypt", "cfb::Cfb8Encrypt", "ofb::OfbKeystream", "cmac::CbcMac"];
/// The loops of the modes for blocks of 128 bits.
const JOBS_128: &[&str] =
    &["xts::XtsUnits", "hctr2::Hctr2Messages", "gcm::message::GcmMessage", "gcm::message::GcmPiece"];
/// The loop of a mode that AES alone has.
const JOBS_AES: &[&str] = &["gcm_siv::message::SivMessage"];
/// The long loops of GCM are calls, shared by its jobs.
const ROUNDS: &[&str] = &["AesRounds<11>", "AesRounds<15>"];
const LOOPS: &[&str] = &["gcm::stitched::whole_passes"];
/// Bit-sliced passes are calls; those of AES serve all key sizes.
const PASSES: &[&str] = &["encrypt", "decrypt"];
/// Serpent's: a group in registers, and any number of them.
const SERPENT_PASSES: &[&str] = &["encrypt_one", "encrypt_several", "decrypt_one", "decrypt_several"];
/// Two groups backward, where vectors are wide.
const SERPENT_TWO: &[&str] = &["decrypt_two"];
/// One block in vectors, where these can be quicker than general registers.
const SERPENT_ONE_BLOCK: &[&str] = &["encrypt_serial"];
/// The passes of TEA and of XTEA, each with functions of its own. The narrowest are calls where vectors are narrow.
const TWO_WORDS_PASSES: &[&str] = &["encrypt_groups", "decrypt_groups"];
const TWO_WORDS_GROUPS: &[&str] = &["XteaOneKey, 8", "XteaOneKey, 4", "TeaOneKey, 8", "TeaOneKey, 4"];
const TWO_WORDS_NARROW: &[&str] = &["XteaOneKey, 2", "XteaOneKey, 1", "TeaOneKey, 2", "TeaOneKey, 1"];
/// Their rows of packets, under a key in each lane.
const TWO_WORDS_ROWS: &[&str] = &["encrypt_rows", "decrypt_rows"];
const TWO_WORDS_LANES: &[&str] = &["XteaKeyPerLane", "TeaKeyPerLane"];

/// AEZ, which is no block cipher: a message, and what is made with a key.
const AEZ: &[&str] = &["abreast::aez::Aez"];
const AEZ_JOBS: &[&str] = &["aez::Encipher", "aez::Usual"];
/// Its long loops, and what is seldom, are calls: the two passes, the hash of strings and of other tag lengths,
/// messages that are short or empty.
const AEZ_PASSES: &[&str] = &[
    "aez::pairs::first_pass",
    "aez::pairs::second_pass",
    "aez::hash::string",
    "aez::hash::beside_nonce",
    "aez::Encipher",
];
/// Messages side by side, which are matched once for the whole batch.
const AEZ_BATCH: &[&str] = &["packets::aez::batch_with"];
const AEZ_ROUNDS: &[&str] = &["aez::instructions::Instructions"];
const AEZ_CIRCUIT: &[&str] = &["aez::circuit::Circuit"];

/// The hashes: interleaved by instructions, and in lanes. One message in general registers has no instruction set to enable.
const HASHES: &[&str] = &["hmac::hash"];
const HASHES_BY: &[&str] = &["sha1_by<1>", "sha1_by<2>", "sha1_by<4>", "sha256_by<1>", "sha256_by<2>"];
const HASHES_IN_LANES: &[&str] = &["sha1_in_lanes", "sha256_in_lanes"];

const X86: &[&str] = &["Sse2", "AesNi", "AesNiAvx", "Vaes", "Avx512Vaes"];
const X86_BASELINE: &[&str] = &["Sse2"];
const X86_WORDS: &[&str] = &["Sse2", "Avx2", "Avx512"];
const X86_AES: &[&str] = &["AesNi", "AesNiAvx", "Vaes", "Avx512Vaes"];
const X86_ONE_BLOCK: &[&str] = &["AesNi", "AesNiAvx"];

/// Kernels and passes that have to be there.
pub(super) const fn kernels(
    arch: &'static str,
    tokens: &'static [&'static str],
    keys: &'static [&'static str],
    jobs: &'static [&'static [&'static str]],
) -> Expected {
    Expected { arch, tokens, keys, jobs }
}

pub(super) const EXPECTED: &[Expected] = &[
    kernels("x86_64", X86_AES, AES, &[JOBS, JOBS_128, JOBS_AES]),
    kernels("x86_64", X86_ONE_BLOCK, AES, &[CHAINS]),
    kernels("x86_64", X86_BASELINE, AES_SLICED, &[JOBS, CHAINS, JOBS_128, JOBS_AES]),
    kernels("x86_64", X86_WORDS, SERPENT, &[JOBS, CHAINS, JOBS_128]),
    kernels("x86_64", X86_WORDS, TWO_WORDS, &[JOBS, CHAINS]),
    kernels("x86_64", X86_AES, ROUNDS, &[LOOPS]),
    kernels("x86_64", X86_BASELINE, &["sliced"], &[PASSES]),
    kernels("x86_64", X86_WORDS, &["serpent::rounds"], &[SERPENT_PASSES]),
    kernels("x86_64", &["Avx2", "Avx512"], &["serpent::rounds"], &[SERPENT_TWO]),
    kernels("x86_64", X86_WORDS, &["loops::gcm::stitched::apart"], &[&["Bitsliced"]]),
    kernels("x86_64", &["Avx512"], &["serpent::rounds::Bitsliced"], &[SERPENT_ONE_BLOCK]),
    kernels("x86_64", X86_WORDS, TWO_WORDS_PASSES, &[TWO_WORDS_GROUPS]),
    kernels("x86_64", X86_BASELINE, TWO_WORDS_PASSES, &[TWO_WORDS_NARROW]),
    kernels("x86_64", X86_WORDS, TWO_WORDS_ROWS, &[TWO_WORDS_LANES]),
    kernels("x86_64", &["Avx512"], &["rc4::lanes::StreamLanes"], &[&["StreamLanes>::run"]]),
    kernels("x86_64", &["ShaNi"], HASHES, &[HASHES_BY]),
    kernels("x86_64", X86_WORDS, HASHES, &[HASHES_IN_LANES]),
    kernels("x86_64", X86, AEZ, &[AEZ_JOBS]),
    kernels("x86_64", X86_AES, &["packets::aez::batch_with"], &[AEZ_BATCH]),
    kernels("x86_64", X86_AES, AEZ_ROUNDS, &[AEZ_PASSES]),
    kernels("x86_64", X86_BASELINE, AEZ_CIRCUIT, &[AEZ_PASSES]),
    kernels("aarch64", &["NeonAes"], AES, &[JOBS, CHAINS, JOBS_128, JOBS_AES]),
    kernels("aarch64", &["Neon"], AES_SLICED, &[JOBS, CHAINS, JOBS_128, JOBS_AES]),
    kernels("aarch64", &["Neon"], SERPENT, &[JOBS, CHAINS, JOBS_128]),
    kernels("aarch64", &["Neon"], TWO_WORDS, &[JOBS, CHAINS]),
    kernels("aarch64", &["Neon"], TWO_WORDS_PASSES, &[TWO_WORDS_GROUPS, TWO_WORDS_NARROW]),
    kernels("aarch64", &["Neon"], TWO_WORDS_ROWS, &[TWO_WORDS_LANES]),
    kernels("aarch64", &["Neon"], &["sliced"], &[PASSES]),
    kernels("aarch64", &["Neon"], &["serpent::rounds"], &[SERPENT_PASSES]),
    kernels("aarch64", &["Neon"], &["loops::gcm::stitched::apart"], &[&["Bitsliced"]]),
    kernels("aarch64", &["NeonSha"], HASHES, &[HASHES_BY]),
    kernels("aarch64", &["Neon"], HASHES, &[HASHES_IN_LANES]),
    kernels("aarch64", &["Neon", "NeonAes"], AEZ, &[AEZ_JOBS]),
    kernels("aarch64", &["NeonAes"], AEZ_ROUNDS, &[AEZ_PASSES]),
    kernels("aarch64", &["Neon"], AEZ_CIRCUIT, &[AEZ_PASSES]),
    // The portable code has no instruction set to enable.
    kernels("", &["Portable"], &["serpent::one_block"], &[PASSES]),
];
