//! What the two readers of JSON text share, the one of whole texts ([`crate::parse`]) and the one of texts that come in
//! pieces ([`crate::edit::stream`]): the tokens of RFC 8259 and what is said about a text that breaks its rules.

pub(crate) const VALUE: &str = "expected a value";
pub(crate) const NAME: &str = "expected a member name in quotes";
pub(crate) const COLON: &str = "expected ':'";
pub(crate) const COMMA_OR_BRACE: &str = "expected ',' or '}'";
pub(crate) const COMMA_OR_BRACKET: &str = "expected ',' or ']'";
pub(crate) const END: &str = "expected the end of the text";
pub(crate) const DIGIT: &str = "expected a digit";
pub(crate) const ESCAPE: &str = "expected an escape sequence";
pub(crate) const CONTROL: &str = "control characters in strings must be escaped";
pub(crate) const UNCLOSED: &str = "the string isn't closed";
pub(crate) const NOT_UTF8: &str = "the text isn't UTF-8";
pub(crate) const TOO_LARGE: &str = "the number is too large for a double";

/// What is expected after a value in what this bracket closes.
pub(crate) fn after(close: u8) -> &'static str {
    if close == b'}' { COMMA_OR_BRACE } else { COMMA_OR_BRACKET }
}

/// How far a JSON number has come (RFC 8259 §6), so that its text can be read byte by byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberPart {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl NumberPart {
    pub(crate) fn first(byte: u8) -> Option<NumberPart> {
        match byte {
            b'-' => Some(NumberPart::Minus),
            _ => NumberPart::Minus.next(byte),
        }
    }

    /// `None` where the byte doesn't belong to the number.
    pub(crate) fn next(self, byte: u8) -> Option<NumberPart> {
        Some(match (self, byte) {
            (NumberPart::Integer | NumberPart::Fraction | NumberPart::Exponent, b'0'..=b'9') => self,
            (NumberPart::Minus, b'0') => NumberPart::Zero,
            (NumberPart::Minus, b'1'..=b'9') => NumberPart::Integer,
            (NumberPart::Point, b'0'..=b'9') => NumberPart::Fraction,
            (NumberPart::E | NumberPart::Sign, b'0'..=b'9') => NumberPart::Exponent,
            (NumberPart::Zero | NumberPart::Integer, b'.') => NumberPart::Point,
            (NumberPart::Zero | NumberPart::Integer | NumberPart::Fraction, b'e' | b'E') => NumberPart::E,
            (NumberPart::E, b'+' | b'-') => NumberPart::Sign,
            _ => return None,
        })
    }

    /// Whether the number may end here.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, NumberPart::Zero | NumberPart::Integer | NumberPart::Fraction | NumberPart::Exponent)
    }
}

/// What a backslash and this byte stand for; `u` isn't among them.
pub(crate) fn escaped(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' | b'/' => Some(byte),
        b'b' => Some(8),
        b'f' => Some(12),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        _ => None,
    }
}

/// The value of hexadecimal digits.
pub(crate) fn hex(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |code, digit| code << 4 | char::from(*digit).to_digit(16).unwrap_or(0))
}
