//! `judges/c-bindings`, the declarations of `abreast.h` for Rust code that calls the library as C does: tests, benchmarks and
//! fuzz targets. They are translated from the text of the header, so that a header with a type that the library does not have
//! is noticed.

use crate::abi::statements;
use crate::outcome::Stop;

const OPENING: &str = r#"//! The declarations of `abreast.h`, by the names of C, for Rust code that calls the library as C does. `cargo xtask header`
//! writes this file; what the functions do is documented in the header.
//!
//! Handles are pointers to anything, so that tests may hand over one of a wrong type.

#![allow(unsafe_code, reason = "functions of C are declared")]
#![allow(missing_docs, reason = "abreast.h has the documentation")]
#![allow(non_camel_case_types, reason = "types have the names that C has for them")]

use std::ffi::{c_char, c_int, c_void};

// For its symbols, which the linker would leave out.
use abreast_capi as _;

"#;

/// Translates the header.
pub(crate) fn translated(header: &str) -> Result<String, Stop> {
    let (mut types, mut functions, mut makers) = (String::new(), String::new(), String::new());
    for line in header.lines() {
        if let Some((name, number)) = line.strip_prefix("#define ").and_then(|line| line.split_once(' ')) {
            types += &format!("pub const {name}: c_int = {};\n", number.trim());
        }
    }
    for statement in statements(header) {
        if let Some((head, body)) = statement.split_once('{') {
            let body = body.trim_end_matches([' ', '}']);
            match head.split_whitespace().collect::<Vec<_>>()[..] {
                ["enum", name] => {
                    types += &format!("\npub type {name} = c_int;\n");
                    for constant in body.split(',').map(str::trim).filter(|it| !it.is_empty()) {
                        let (name, number) = constant.split_once('=').ok_or_else(|| unknown(constant))?;
                        types += &format!("pub const {}: c_int = {};\n", name.trim(), number.trim());
                    }
                }
                ["struct", name] => {
                    // Functions are not told apart by their addresses.
                    let compared = if body.contains("(*") { "" } else { ", PartialEq, Eq" };
                    types += &format!(
                        "\n#[repr(C)]\n#[derive(Clone, Copy, Debug{compared})]\npub struct {name} {{\n"
                    );
                    for field in body.split(';').map(str::trim).filter(|it| !it.is_empty()) {
                        types += &format!("    pub {},\n", declared(field)?);
                    }
                    types += "}\n";
                }
                _ => return Err(unknown(&statement)),
            }
        } else if let Some((head, arguments)) = statement.split_once('(') {
            let result = head.rsplit_once([' ', '*']).map_or("", |(_, name)| name);
            let of_result = head.strip_suffix(result).unwrap_or(head).trim();
            let arguments = arguments.trim_end_matches(')').trim();
            let arguments = match arguments {
                "void" | "" => Vec::new(),
                some => some.split(',').map(|it| declared(it.trim())).collect::<Result<_, _>>()?,
            };
            if arguments == MAKER {
                makers += &format!("    (\"{result}\", {result}),\n");
            }
            functions += &format!("    pub fn {result}({})", arguments.join(", "));
            if of_result != "void" {
                functions += &format!(" -> {}", type_of(of_result)?);
            }
            functions += ";\n";
        } else if let Some(named) = statement.strip_prefix("typedef struct ") {
            let name = named.split_whitespace().last().ok_or_else(|| unknown(&statement))?;
            types += &format!("pub type {name} = c_void;\n");
        } else {
            return Err(unknown(&statement));
        }
    }
    Ok(format!(
        "{OPENING}{types}\n#[rustfmt::skip]\nunsafe extern \"C\" {{\n{functions}}}\n{MAKERS}{makers}];\n"
    ))
}

/// The arguments of a function that makes a key of authenticated encryption of bytes.
const MAKER: [&str; 4] =
    ["key: *const u8", "key_len: usize", "kernel: *const c_char", "aead: *mut *mut abreast_aead"];

/// The beginning of the list of these functions.
const MAKERS: &str = r#"
/// A function that makes a key of authenticated encryption of bytes, for a kernel.
pub type AeadMaker = unsafe extern "C" fn(*const u8, usize, *const c_char, *mut *mut abreast_aead) -> c_int;

/// These functions by their names, so that a test of all of them need not list them.
#[rustfmt::skip]
pub const AEAD_MAKERS: &[(&str, AeadMaker)] = &[
"#;

/// Translates the declaration of an argument or a field.
fn declared(text: &str) -> Result<String, Stop> {
    if let Some((name, argument)) = text.strip_prefix("void (*").and_then(|text| text.split_once(")(")) {
        let argument = type_of(argument.trim_end_matches(')'))?;
        return Ok(format!("{name}: Option<unsafe extern \"C\" fn({argument})>"));
    }
    let at = text.rfind([' ', '*']).ok_or_else(|| unknown(text))?;
    let (of_type, name) = text.split_at(at + 1);
    let of_type = type_of(of_type.trim())?;
    Ok(match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, len)) => format!("{name}: [{of_type}; {len}]"),
        None => format!("{name}: {of_type}"),
    })
}

/// Translates a type.
fn type_of(text: &str) -> Result<String, Stop> {
    let stars = text.matches('*').count();
    let (constant, base) = match text.trim_end_matches(['*', ' ']).strip_prefix("const ") {
        Some(base) => (true, base),
        None => (false, text.trim_end_matches(['*', ' '])),
    };
    let base = match base.strip_prefix("struct ").unwrap_or(base) {
        "int" => "c_int",
        "char" => "c_char",
        "void" => "c_void",
        "size_t" => "usize",
        "uint8_t" => "u8",
        "uint16_t" => "u16",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        "int64_t" => "i64",
        own if own.starts_with("abreast_") || own.starts_with("Arrow") => own,
        other => return Err(unknown(other)),
    };
    let mut translated = base.to_owned();
    for star in 0..stars {
        translated = format!("*{} {translated}", if constant && star == 0 { "const" } else { "mut" });
    }
    Ok(translated)
}

fn unknown(text: &str) -> Stop {
    Stop::Failed(format!("abreast.h: no translation to Rust for `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_translated() -> Result<(), Stop> {
        let header = "// words\n#define A_B 1\ntypedef struct abreast_c abreast_c;\nenum abreast_e {\n  A = 1,\n  B = 2,\n};\n\
                      struct abreast_s {\n  const uint8_t *data;\n  uint8_t tag[16];\n  void (*free)(struct abreast_s *);\n};\nint f(const abreast_c *c,\n  uint8_t **o);\n\
                      const char *g(void);\nvoid h(abreast_c *c);\n";
        let text = translated(header)?;
        for line in [
            "pub const A_B: c_int = 1;",
            "pub type abreast_c = c_void;",
            "pub const B: c_int = 2;",
            "    pub data: *const u8,",
            "    pub tag: [u8; 16],",
            "    pub free: Option<unsafe extern \"C\" fn(*mut abreast_s)>,",
            "    pub fn f(c: *const abreast_c, o: *mut *mut u8) -> c_int;",
            "    pub fn g() -> *const c_char;",
            "    pub fn h(c: *mut abreast_c);",
            "];",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
        }
        assert!(translated("float f(void);").is_err());
        Ok(())
    }
}
