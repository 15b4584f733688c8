//! Text to tokens, each with its line.

use crate::error::ParseError;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    /// A name, an opcode with all its modifiers, or a directive with its dot.
    Word(String),
    Int(u64),
    F32(u32),
    F64(u64),
    Str(String),
    /// Any other character.
    Punct(char),
}

/// A token and the line that it stands on, from 1.
pub(crate) type Token = (u32, Tok);

fn is_word_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%')
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.')
}

/// Splits a module's text.
pub(crate) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let s = text.as_bytes();
    let mut tokens = Vec::with_capacity(s.len() / 4);
    let (mut i, mut line) = (0, 1u32);
    while i < s.len() {
        let c = s[i];
        match c {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b' ' | b'\t' | b'\r' | 0 => i += 1,
            b'/' if s.get(i + 1) == Some(&b'/') => {
                while i < s.len() && s[i] != b'\n' {
                    i += 1;
                }
            }
            b'/' if s.get(i + 1) == Some(&b'*') => {
                let start = line;
                i += 2;
                while i < s.len() && !(s[i] == b'*' && s.get(i + 1) == Some(&b'/')) {
                    line += u32::from(s[i] == b'\n');
                    i += 1;
                }
                if i >= s.len() {
                    return Err(ParseError::new(start, "comment without an end"));
                }
                i += 2;
            }
            b'"' => {
                let start = i + 1;
                i = start;
                while i < s.len() && s[i] != b'"' && s[i] != b'\n' {
                    i += 1;
                }
                if s.get(i) != Some(&b'"') {
                    return Err(ParseError::new(line, "string without an end"));
                }
                tokens.push((line, Tok::Str(slice(text, start, i))));
                i += 1;
            }
            _ if is_word_start(c)
                || (c == b'.' && s.get(i + 1).is_some_and(|&n| is_word_start(n))) =>
            {
                let start = i;
                i += 1;
                while i < s.len() {
                    if is_word(s[i]) {
                        i += 1;
                    } else if s[i] == b':'
                        && s.get(i + 1) == Some(&b':')
                        && s.get(i + 2).is_some_and(|&n| is_word_start(n))
                    {
                        // A scoped modifier, such as `.L1::no_allocate`.
                        i += 2;
                    } else {
                        break;
                    }
                }
                tokens.push((line, Tok::Word(slice(text, start, i))));
            }
            b'0'..=b'9' => {
                let start = i;
                while i < s.len() && (s[i].is_ascii_alphanumeric() || s[i] == b'.') {
                    // The sign of a decimal exponent belongs to the number.
                    let exponent = matches!(s[i], b'e' | b'E')
                        && s[start..i].contains(&b'.')
                        && matches!(s.get(i + 1), Some(b'+' | b'-'));
                    i += if exponent { 2 } else { 1 };
                }
                tokens.push((line, number(&text[start..i], line)?));
            }
            _ => {
                let Some(ch) = text.get(i..).and_then(|t| t.chars().next()) else {
                    return Err(ParseError::new(line, "text is cut inside a character"));
                };
                tokens.push((line, Tok::Punct(ch)));
                i += ch.len_utf8();
            }
        }
    }
    Ok(tokens)
}

/// The bounds are those of ASCII characters, so they are character boundaries.
fn slice(text: &str, from: usize, to: usize) -> String {
    text.get(from..to).unwrap_or_default().to_owned()
}

fn number(word: &str, line: u32) -> Result<Tok, ParseError> {
    let bad = || ParseError::new(line, format!("`{word}` is not a number"));
    let lower = word.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0f") {
        return u32::from_str_radix(hex, 16).map(Tok::F32).map_err(|_| bad());
    }
    if let Some(hex) = lower.strip_prefix("0d") {
        return u64::from_str_radix(hex, 16).map(Tok::F64).map_err(|_| bad());
    }
    if lower.contains('.') && !lower.starts_with("0x") {
        return lower.parse::<f64>().map(|v| Tok::F64(v.to_bits())).map_err(|_| bad());
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let value = if let Some(hex) = digits.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(bin) = digits.strip_prefix("0b") {
        u64::from_str_radix(bin, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.map(Tok::Int).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_lines() {
        let t = lex("ld.global.L1::no_allocate.u32 %r1, [%rd2+-4]; // c\n/* x\n */ $L1: 0f3F800000 0xffU 017")
            .unwrap();
        assert_eq!(t[0], (1, Tok::Word("ld.global.L1::no_allocate.u32".into())));
        assert_eq!(t[6], (1, Tok::Punct('-')).clone());
        let tail: Vec<_> = t.iter().rev().take(5).rev().cloned().collect();
        assert_eq!(
            tail,
            [
                (3, Tok::Word("$L1".into())),
                (3, Tok::Punct(':')),
                (3, Tok::F32(0x3f80_0000)),
                (3, Tok::Int(255)),
                (3, Tok::Int(15)),
            ]
        );
    }

    #[test]
    fn errors_have_a_line() {
        assert_eq!(lex("\n\n 0fzz").unwrap_err().line(), 3);
        assert_eq!(lex("\n/* ").unwrap_err().line(), 2);
    }
}
