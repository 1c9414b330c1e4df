//! JSON as far as key metadata has it: an object of texts, bools and nulls, none inside another.
//!
//! Texts of key services are kept as they are, and nothing is nested, so no library is needed.

use std::fmt::Write as _;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Bool(bool),
    Null,
}

/// Parses an object. `None` if the text is something else, or a name is there twice.
pub(crate) fn parse(text: &str) -> Option<Vec<(String, Value)>> {
    let mut parser = Parser { rest: text };
    let mut fields: Vec<(String, Value)> = Vec::new();
    parser.expect("{")?;
    if parser.expect("}").is_none() {
        loop {
            let name = parser.text()?;
            parser.expect(":")?;
            let value = parser.value()?;
            fields.push((name, value));
            if parser.expect(",").is_none() {
                parser.expect("}")?;
                break;
            }
        }
    }
    let mut names: Vec<_> = fields.iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    let unique = names.windows(2).all(|two| two[0] != two[1]);
    (unique && parser.space().is_empty()).then_some(fields)
}

/// Returns an object as text.
pub(crate) fn write<'v>(fields: impl IntoIterator<Item = (&'v str, Value)>) -> String {
    let mut out = String::from("{");
    for (number, (name, value)) in fields.into_iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        put_text(&mut out, name);
        out.push(':');
        match value {
            Value::Text(text) => put_text(&mut out, &text),
            Value::Bool(value) => out.push_str(if value { "true" } else { "false" }),
            Value::Null => out.push_str("null"),
        }
    }
    out.push('}');
    out
}

fn put_text(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn space(&mut self) -> &'t str {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest
    }

    fn expect(&mut self, word: &str) -> Option<()> {
        self.rest = self.space().strip_prefix(word)?;
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        let words = [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
        for (word, value) in words {
            if self.expect(word).is_some() {
                return Some(value);
            }
        }
        self.text().map(Value::Text)
    }

    fn text(&mut self) -> Option<String> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            let end = self.rest.find(['"', '\\']).filter(|end| !self.rest[..*end].contains(|c| c < ' '))?;
            text.push_str(&self.rest[..end]);
            let mark = self.rest[end..].chars().next()?;
            self.rest = &self.rest[end + 1..];
            if mark == '"' {
                return Some(text);
            }
            let escape = self.rest.chars().next()?;
            self.rest = &self.rest[escape.len_utf8()..];
            text.push(match escape {
                '"' | '\\' | '/' => escape,
                'b' => '\x08',
                'f' => '\x0c',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                _ => return None,
            });
        }
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.rest = self.rest.strip_prefix("\\u")?;
        let second = self.unit()?.checked_sub(0xdc00).filter(|second| *second < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10 | second))
    }

    fn unit(&mut self) -> Option<u32> {
        let digits =
            self.rest.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        self.rest = &self.rest[4..];
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, parse, write};

    #[test]
    fn texts_come_back() {
        let text = "a \"b\" \\ \u{1} \n é 🦀 /";
        let fields = [("name", Value::Text(text.into())), ("bool", Value::Bool(true)), ("null", Value::Null)];
        let parsed = parse(&write(fields.clone())).expect("an object");
        assert_eq!(parsed, fields.map(|(name, value)| (name.to_owned(), value)));
        let escaped = r#" { "a" : "\u00e9\ud83e\udd80\/\t" } "#;
        assert_eq!(parse(escaped), Some(vec![("a".into(), Value::Text("é🦀/\t".into()))]));
        assert_eq!(parse("{}"), Some(vec![]));
    }

    #[test]
    fn others_are_refused() {
        for text in [
            "",
            "{",
            "{}x",
            "[]",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":"b",}"#,
            r#"{"a":1}"#,
            r#"{"a":{}}"#,
            "{\"a\":\"\n\"}",
            r#"{"a":"\x"}"#,
            r#"{"a":"\ud83e"}"#,
            r#"{"a":"\ud83e\u0041"}"#,
            r#"{"a":"\udd80"}"#,
            r#"{"a":"\u00"}"#,
            r#"{"a":"\u+0ff"}"#,
            r#"{"a":true,"a":true}"#,
            r#"{"a":"b"#,
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
