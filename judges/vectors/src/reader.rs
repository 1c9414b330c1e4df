//! The reader of the files in `judges/vectors/data`.
//!
//! A file is lines of UTF-8, each of them empty, a comment that begins with `#`, or a field,
//! `Key = value`. Cases are set apart by one empty line or more. A value is text, one of two words, a
//! decimal number, an even number of lower-case hexadecimal digits, or a list of such digits, as the
//! caller asks for it; it may be empty, and then it is written `Key =`. Each element of a list stands in
//! brackets, with a space between two: `Key = [00ff] []`. Every case has to have exactly the fields that
//! are asked for.

/// A file of known answers.
pub(crate) struct File {
    name: &'static str,
    text: &'static str,
}

/// The fields of one case, until they are taken out.
pub(crate) struct Fields {
    file: &'static str,
    /// The line of the first field, counted from one.
    line: usize,
    fields: Vec<Field>,
}

struct Field {
    line: usize,
    key: &'static str,
    value: &'static str,
}

impl File {
    /// The file `name` in `judges/vectors/data`, which holds `text`.
    pub(crate) fn embedded(name: &'static str, text: &'static str) -> Self {
        Self { name, text }
    }

    /// Every case of the file, made from its fields by `case`.
    ///
    /// # Panics
    ///
    /// With file and line, on anything that the format does not have, and where `case` takes a
    /// field that is not there or leaves one that is.
    pub(crate) fn cases<T>(&self, case: impl Fn(&mut Fields) -> T) -> Vec<T> {
        self.paragraphs()
            .into_iter()
            .map(|mut fields| {
                let made = case(&mut fields);
                if let Some(left) = fields.fields.first() {
                    fail(self.name, left.line, &format!("unknown field `{}`", left.key));
                }
                made
            })
            .collect()
    }

    fn paragraphs(&self) -> Vec<Fields> {
        let mut paragraphs: Vec<Fields> = Vec::new();
        let mut between = true;
        for (line, text) in (1..).zip(self.text.lines()) {
            if text.starts_with('#') {
                continue;
            }
            if text.is_empty() {
                between = true;
                continue;
            }
            let Some((key, value)) = field(text) else {
                fail(self.name, line, "neither `Key = value`, a comment nor empty");
            };
            if between {
                paragraphs.push(Fields { file: self.name, line, fields: Vec::new() });
                between = false;
            }
            let fields = &mut paragraphs.last_mut().expect("one was pushed at the first field").fields;
            if fields.iter().any(|field| field.key == key) {
                fail(self.name, line, &format!("field `{key}` for the second time"));
            }
            fields.push(Field { line, key, value });
        }
        paragraphs
    }
}

impl Fields {
    /// Takes out a field that is text; it may not be empty.
    pub(crate) fn text(&mut self, key: &str) -> String {
        let field = self.take(key);
        if field.value.is_empty() {
            fail(self.file, field.line, "empty text");
        }
        field.value.to_owned()
    }

    /// Takes out a field that is a decimal number.
    pub(crate) fn number(&mut self, key: &str) -> u32 {
        let field = self.take(key);
        field
            .value
            .parse()
            .unwrap_or_else(|error| fail(self.file, field.line, &format!("not a number: {error}")))
    }

    /// Takes out a field that is one of two words, and says whether it is the second.
    pub(crate) fn is_second(&mut self, key: &str, [first, second]: [&str; 2]) -> bool {
        let field = self.take(key);
        if field.value != first && field.value != second {
            fail(self.file, field.line, &format!("`{}` is neither `{first}` nor `{second}`", field.value));
        }
        field.value == second
    }

    /// Takes out a field that is bytes in hexadecimal.
    pub(crate) fn bytes(&mut self, key: &str) -> Vec<u8> {
        let field = self.take(key);
        self.hexadecimal(field.line, field.value)
    }

    /// Takes out a field that is a list of bytes in hexadecimal.
    pub(crate) fn list(&mut self, key: &str) -> Vec<Vec<u8>> {
        let field = self.take(key);
        if field.value.is_empty() {
            return Vec::new();
        }
        let element = |text: &str| {
            let Some(digits) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
                fail(self.file, field.line, &format!("`{text}` is not in brackets"));
            };
            self.hexadecimal(field.line, digits)
        };
        field.value.split(' ').map(element).collect()
    }

    fn hexadecimal(&self, line: usize, digits: &str) -> Vec<u8> {
        let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
        if !odd.is_empty() {
            fail(self.file, line, "an odd number of hexadecimal digits");
        }
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => fail(self.file, line, &format!("`{}` is no digit of 0-9a-f", char::from(digit))),
        };
        pairs.iter().map(|&[high, low]| digit(high) << 4 | digit(low)).collect()
    }

    fn take(&mut self, key: &str) -> Field {
        let Some(index) = self.fields.iter().position(|field| field.key == key) else {
            fail(self.file, self.line, &format!("no field `{key}` in this case"));
        };
        self.fields.remove(index)
    }
}

/// `Key = value` or `Key =`, with neither space before nor after.
fn field(text: &'static str) -> Option<(&'static str, &'static str)> {
    let (key, value) = text.split_once(" =")?;
    let value = if value.is_empty() { value } else { value.strip_prefix(' ')? };
    (!key.is_empty() && key.trim() == key && value.trim() == value).then_some((key, value))
}

fn fail(file: &str, line: usize, why: &str) -> ! {
    panic!("judges/vectors/data/{file}:{line}: {why}");
}

#[cfg(test)]
mod tests {
    use std::panic;

    use super::*;

    fn read(text: &'static str) -> Vec<(String, Vec<u8>, u32)> {
        File::embedded("test.txt", text)
            .cases(|case| (case.text("Name"), case.bytes("Key"), case.number("Bits")))
    }

    #[test]
    fn reads_cases_in_any_order_of_fields() {
        let cases = read(
            "# A comment\n\nName = one = 1\nKey = 00ff\n# in a case\nBits = 7\n\n\nBits = 8\nKey =\nName = two",
        );
        assert_eq!(cases, [("one = 1".to_owned(), vec![0, 0xff], 7), ("two".to_owned(), vec![], 8)]);
        assert_eq!(read("# nothing\n"), []);
    }

    #[test]
    fn reads_one_of_two_words() {
        let read =
            |text| File::embedded("test.txt", text).cases(|case| case.is_second("Words", ["little", "big"]));
        assert_eq!(read("Words = little\n\nWords = big"), [false, true]);
        let payload = panic::catch_unwind(|| read("# A\nWords = middle")).expect_err("a third word");
        let message = payload.downcast_ref::<String>().expect("the panic has a formatted message");
        assert_eq!(*message, "judges/vectors/data/test.txt:2: `middle` is neither `little` nor `big`");
    }

    #[test]
    fn reads_lists() {
        let read = |text| File::embedded("test.txt", text).cases(|case| case.list("AD"));
        let lists: [Vec<Vec<u8>>; 4] =
            [vec![], vec![vec![]], vec![vec![0, 0xff]], vec![vec![], vec![1], vec![]]];
        assert_eq!(read("AD =\n\nAD = []\n\nAD = [00ff]\n\nAD = [] [01] []"), lists);
        for (text, expected) in [
            ("AD = 00", "`00` is not in brackets"),
            ("AD = [00", "`[00` is not in brackets"),
            ("AD = [00]  [01]", "`` is not in brackets"),
            ("AD = [00][01]", "`]` is no digit of 0-9a-f"),
            ("AD = [0]", "an odd number of hexadecimal digits"),
        ] {
            let payload = panic::catch_unwind(|| read(text)).expect_err(text);
            let message = payload.downcast_ref::<String>().expect("the panic has a formatted message");
            assert_eq!(*message, format!("judges/vectors/data/test.txt:1: {expected}"), "{text}");
        }
    }

    #[test]
    fn fails_with_file_and_line() {
        let malformed = [
            ("Name = a\nKey: 00\nBits = 1", "2: neither `Key = value`, a comment nor empty"),
            ("Name = a\nKey=00\nBits = 1", "2: neither `Key = value`, a comment nor empty"),
            ("Name = a\n Key = 00\nBits = 1", "2: neither `Key = value`, a comment nor empty"),
            ("Name = a\nKey = 00 \nBits = 1", "2: neither `Key = value`, a comment nor empty"),
            ("Name = a\n = 00\nBits = 1", "2: neither `Key = value`, a comment nor empty"),
            (" \nName = a", "1: neither `Key = value`, a comment nor empty"),
            ("Name = a\nKey = 000\nBits = 1", "2: an odd number of hexadecimal digits"),
            ("Name = a\nKey = 0G\nBits = 1", "2: `G` is no digit of 0-9a-f"),
            ("Name = a\nKey = 0A\nBits = 1", "2: `A` is no digit of 0-9a-f"),
            ("Name = a\nKey = 00\nBits = x", "3: not a number: invalid digit found in string"),
            ("Name = a\nKey = 00\nBits =", "3: not a number: cannot parse integer from empty string"),
            ("Name =\nKey = 00\nBits = 1", "1: empty text"),
            ("Name = a\nKey = 00\nBits = 1\nIV = 00", "4: unknown field `IV`"),
            ("Name = a\nKey = 00\nKey = 01\nBits = 1", "3: field `Key` for the second time"),
            ("\nName = a\nKey = 00\n\nBits = 1", "2: no field `Bits` in this case"),
        ];
        for (text, expected) in malformed {
            let payload = panic::catch_unwind(|| read(text)).expect_err(text);
            let message = payload.downcast_ref::<String>().expect("the panic has a formatted message");
            assert_eq!(*message, format!("judges/vectors/data/test.txt:{expected}"), "{text}");
        }
    }
}
