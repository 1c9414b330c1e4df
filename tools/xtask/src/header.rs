//! `faces/c/include/abreast.h`, from the crate that it describes, and its translation for Rust code that goes the way of C.
//!
//! What all functions have in common, and the types that C does not look into, are in `install/opening.h.in`, which is
//! put in front.

use cbindgen::{Builder, Config, DocumentationStyle, Language, RenameRule, Style};

use crate::bindings;
use crate::files;
use crate::outcome::{Outcome, Stop};

const CRATE: &str = "faces/c";
const OPENING: &str = "faces/c/install/opening.h.in";
const HEADER: &str = "faces/c/include/abreast.h";
const BINDINGS: &str = "judges/c-bindings/src/lib.rs";

/// Types by their names in C. Pointers are newtypes in Rust, which only C can make; those to handles and places are in
/// [`pointers`].
const NAMES: &[(&str, &str)] = &[
    ("In", "const uint8_t *"),
    ("Out", "uint8_t *"),
    ("Words", "const uint32_t *"),
    ("Text", "const char *"),
    ("AdStrings", "const struct abreast_string *"),
    ("Lengths", "const size_t *"),
    ("ArrowPtr_ArrowSchema", "const struct ArrowSchema *"),
    ("ArrowPtr_ArrowArray", "const struct ArrowArray *"),
    ("Place_ArrowSchema", "struct ArrowSchema *"),
    ("Place_ArrowArray", "struct ArrowArray *"),
    ("ArrowSchema", "struct ArrowSchema"),
    ("ArrowArray", "struct ArrowArray"),
    ("Items_PacketItem", "struct abreast_packet *"),
    ("Items_WrapItem", "struct abreast_wrap_packet *"),
    ("Items_SrtpItem", "struct abreast_srtp_packet *"),
    ("Items_EspItem", "struct abreast_esp_packet *"),
    ("Items_QuicItem", "struct abreast_quic_packet *"),
    ("Items_Rc4Piece", "struct abreast_rc4_piece *"),
    ("Items_Rc4Message", "struct abreast_rc4_message *"),
    ("Items_XteaMessage", "struct abreast_xtea_message *"),
    ("Items_CgoCell", "struct abreast_cgo_cell *"),
    ("Items", "struct abreast_item *"),
    ("CipherHandle", "abreast_cipher"),
    ("AeadHandle", "abreast_aead"),
    ("CmacHandle", "abreast_cmac"),
    ("XtsHandle", "abreast_xts"),
    ("Hctr2Handle", "abreast_hctr2"),
    ("HmacHandle", "abreast_hmac"),
    ("SrtpHandle", "abreast_srtp"),
    ("EspHandle", "abreast_esp"),
    ("QuicKeyHandle", "abreast_quic_key"),
    ("QuicHeaderKeyHandle", "abreast_quic_header_key"),
    ("DeviceHandle", "abreast_device"),
    ("DeviceCipherHandle", "abreast_device_cipher"),
    ("DeviceXtsHandle", "abreast_device_xts"),
    ("CipherStream", "abreast_stream"),
    ("PaddedStream", "abreast_padded_stream"),
    ("AeadStream", "abreast_aead_stream"),
    ("CmacStream", "abreast_cmac_stream"),
    ("HmacStream", "abreast_hmac_stream"),
    ("Rc4Stream", "abreast_rc4_stream"),
    ("CgoRelayStream", "abreast_cgo_relay"),
    ("CgoClientStream", "abreast_cgo_client"),
];

/// The types of pointers to handles, and of places for them and for numbers.
fn pointers() -> Vec<(String, String)> {
    let mut pointers = vec![
        ("Place_usize".to_owned(), "size_t *".to_owned()),
        ("Place_u64".to_owned(), "uint64_t *".to_owned()),
        ("Places_usize".to_owned(), "size_t *".to_owned()),
        ("Place_DeviceInfo".to_owned(), "struct abreast_device_info *".to_owned()),
    ];
    for (rust, c) in NAMES {
        if rust.ends_with("Handle") {
            pointers.push((format!("KeyPtr_{rust}"), format!("const {c} *")));
            pointers.push((format!("FreedKeyPtr_{rust}"), format!("{c} *")));
        } else if rust.ends_with("Stream") {
            pointers.push((format!("StreamPtr_{rust}"), format!("{c} *")));
            pointers.push((format!("ConstStreamPtr_{rust}"), format!("const {c} *")));
        } else {
            continue;
        }
        pointers.push((format!("Place_____{rust}"), format!("{c} **")));
        pointers.push((format!("Places_____{rust}"), format!("{c} **")));
    }
    pointers
}

/// Items that are defined in the header itself, by their names in C, as in [`NAMES`].
const DEFINED: &[(&str, &str)] = &[
    ("ABI_VERSION", "ABREAST_ABI_VERSION"),
    ("Status", "abreast_status"),
    ("Operation", "abreast_operation"),
    ("WhichWay", "abreast_direction"),
    ("AdString", "abreast_string"),
    ("PacketItem", "abreast_packet"),
    ("WrapItem", "abreast_wrap_packet"),
    ("SrtpProfile", "abreast_srtp_profile"),
    ("SrtpProtocol", "abreast_srtp_protocol"),
    ("SrtpItem", "abreast_srtp_packet"),
    ("EspSuite", "abreast_esp_suite"),
    ("EspItem", "abreast_esp_packet"),
    ("QuicItem", "abreast_quic_packet"),
    ("Rc4Piece", "abreast_rc4_piece"),
    ("Rc4Message", "abreast_rc4_message"),
    ("XteaMessage", "abreast_xtea_message"),
    ("CgoCell", "abreast_cgo_cell"),
    ("DeviceInfo", "abreast_device_info"),
];

/// Compares the committed files with what they should be.
pub(crate) fn check() -> Outcome {
    for (path, text) in files()? {
        let committed = files::read(path)?;
        if committed != text {
            return Err(Stop::Failed(format!(
                "{path} is not what the sources say: run `cargo xtask header`"
            )));
        }
    }
    Ok(())
}

/// Writes them.
pub(crate) fn write() -> Outcome {
    for (path, text) in files()? {
        files::write(path, text)?;
    }
    Ok(())
}

/// Returns the paths and the texts of both files.
fn files() -> Result<[(&'static str, String); 2], Stop> {
    let header = generated()?;
    let bindings = bindings::translated(&header)?;
    Ok([(HEADER, header), (BINDINGS, bindings)])
}

fn generated() -> Result<String, Stop> {
    let opening = files::read(OPENING)?;
    let mut config =
        Config { language: Language::C, cpp_compat: true, style: Style::Tag, ..Config::default() };
    config.header = Some(opening);
    config.trailer = Some("#endif".to_owned());
    config.no_includes = true;
    config.usize_is_size_t = true;
    config.documentation_style = DocumentationStyle::C99;
    config.enumeration.rename_variants = RenameRule::QualifiedScreamingSnakeCase;
    let names = NAMES.iter().map(|(rust, c)| ((*rust).to_owned(), (*c).to_owned()));
    let names: Vec<_> = names.chain(pointers()).collect();
    config.export.exclude = names.iter().map(|(rust, _)| rust.clone()).collect();
    config.export.rename = names.into_iter().collect();
    for (rust, c) in DEFINED {
        config.export.rename.insert((*rust).to_owned(), (*c).to_owned());
    }
    config.export.include = DEFINED.iter().map(|(rust, _)| (*rust).to_owned()).collect();
    let bindings = Builder::new()
        .with_config(config)
        .with_crate(CRATE)
        .generate()
        .map_err(|error| Stop::Failed(format!("cbindgen: {error}")))?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).map_err(|error| Stop::Failed(error.to_string()))?;
    // Pointers come as names of types, and constants with the name of their enum in full.
    Ok(header
        .replace(" ** ", " **")
        .replace(" * ", " *")
        .replace("ABREAST_STATUS_", "ABREAST_")
        .replace("ABREAST_OPERATION_", "ABREAST_")
        .replace("ABREAST_DIRECTION_", "ABREAST_")
        .replace("ABREAST_SRTP_PROFILE_", "ABREAST_SRTP_")
        .replace("ABREAST_SRTP_PROTOCOL_", "ABREAST_SRTP_")
        .replace("ABREAST_ESP_SUITE_", "ABREAST_ESP_"))
}
