//! The numeric fields of a tar header: octal as every writer has ever padded it, blank, or base-256.

/// What a numeric field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// Octal digits, or a blank field (0).
    Octal(u64),
    /// GNU's base-256, non-negative and below 2^63.
    Binary(u64),
    /// GNU's base-256, negative or 2^63 and more.
    OutOfRange,
    /// Neither.
    Junk,
}

impl Number {
    /// Grammar: spaces, octal digits, then only spaces and NULs; or only spaces and NULs; or base-256.
    pub(super) fn parse(field: &[u8]) -> Self {
        if field.first().is_some_and(|first| first & 0x80 != 0) {
            return Self::base256(field);
        }
        let mut value: u64 = 0;
        let mut rest = field.iter().copied().skip_while(|byte| *byte == b' ').peekable();
        while let Some(digit @ b'0'..=b'7') = rest.peek() {
            value = value << 3 | u64::from(digit & 7);
            rest.next();
        }
        if rest.all(|byte| byte == b' ' || byte == 0) { Self::Octal(value) } else { Self::Junk }
    }

    /// Two's complement, big-endian, in all bits but the topmost.
    fn base256(field: &[u8]) -> Self {
        let mut bytes = field.iter().copied();
        // Every writer begins with one of two bytes; at any other some readers stop silently and lose the member.
        match bytes.next() {
            Some(0x80) => {}
            Some(0xff) => return Self::OutOfRange,
            _ => return Self::Junk,
        }
        let mut value: u64 = 0;
        for byte in bytes {
            if value >> 55 != 0 {
                return Self::OutOfRange;
            }
            value = value << 8 | u64::from(byte);
        }
        Self::Binary(value)
    }

    /// A size of nothing but spaces: GNU tar drops such a member, others take it as empty. NULs are fine everywhere.
    pub(super) fn is_blank_by_spaces(field: &[u8]) -> bool {
        field.contains(&b' ') && !field.iter().any(u8::is_ascii_digit)
    }

    pub(super) fn is_junk(self) -> bool {
        self == Self::Junk
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_real_writers_write() {
        for (field, value) in [
            (&b"0000644\0"[..], 0o644),
            (b"000644 \0", 0o644),
            (b"    644 ", 0o644),
            (b"00000000001\0", 1),
            (b"00000000001 ", 1),
            (b"77777777", 0o7777_7777),
            (b"\0\0\0\0\0\0\0\0", 0),
            (b"        ", 0),
            (b"0 \0 \0\0\0\0", 0),
            (b" \0\0\0\0\0\0\0", 0),
        ] {
            assert_eq!(Number::parse(field), Number::Octal(value), "{}", field.escape_ascii());
        }
    }

    #[test]
    fn junk() {
        for field in
            [&b"0000000001zz"[..], b"00000008\0\0\0\0", b"\x000000644", b"0 1\0\0\0\0\0", b"+1\0", b"-1\0", b"0x1\0"]
        {
            assert_eq!(Number::parse(field), Number::Junk, "{}", field.escape_ascii());
        }
    }

    #[test]
    fn base_256_at_every_width() {
        for width in [8, 12] {
            for used in 1..width {
                let mut field = vec![0; width];
                field[0] = 0x80;
                field[width - used] = 1;
                let expected = if used > 8 || used == 8 && width == 8 {
                    Number::OutOfRange
                } else {
                    Number::Binary(1 << (8 * (used - 1)))
                };
                assert_eq!(Number::parse(&field), expected, "{width} {used}");
            }
            for first in [0x81, 0xa0, 0xbf, 0xc0, 0xfe] {
                let mut field = vec![0; width];
                field[0] = first;
                assert_eq!(Number::parse(&field), Number::Junk, "{width} {first:x}");
            }
            let mut field = vec![0xff; width];
            assert_eq!(Number::parse(&field), Number::OutOfRange);
            field.fill(0);
            field[0] = 0x80;
            assert_eq!(Number::parse(&field), Number::Binary(0));
        }
        let most = b"\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff";
        assert_eq!(Number::parse(most), Number::Binary(i64::MAX as u64));
        let over = b"\x80\0\0\0\x80\0\0\0\0\0\0\0";
        assert_eq!(Number::parse(over), Number::OutOfRange);
    }
}
