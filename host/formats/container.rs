//! The container that `.zkey`, `.wtns` and `.r1cs` share: magic, version, then sections of
//! (u32 id, u64 length, bytes), in any order, little-endian throughout.

use std::ops::Range;

use super::{Error, Fault, Source};
use crate::field::{FP_MODULUS, SCALAR_MODULUS, modulus_bytes};

/// One kind of container: what its files begin with and how its sections are called.
pub(crate) struct Kind {
    pub(crate) magic: &'static [u8; 4],
    pub(crate) name: &'static str,
    pub(crate) version: u32,
    /// Section names, by id − 1.
    pub(crate) sections: &'static [&'static str],
}

impl Kind {
    pub(crate) fn section_name(&self, id: u32) -> String {
        match self.sections.get(id.wrapping_sub(1) as usize) {
            Some(name) => format!("section {id} ({name})"),
            None => format!("section {id}"),
        }
    }
}

/// A container whose sections have been located.
pub(crate) struct Container<'s> {
    pub(crate) source: &'s Source,
    pub(crate) kind: &'static Kind,
    /// (id, bytes), in the file's order.
    pub(crate) sections: Vec<(u32, Range<usize>)>,
}

impl<'s> Container<'s> {
    /// Reads the magic, the version and the table of sections. Cost: one step a section.
    pub(crate) fn parse(source: &'s Source, kind: &'static Kind) -> Result<Self, Error> {
        let bytes = source.bytes();
        let found = &bytes[..bytes.len().min(4)];
        if found != kind.magic {
            let found = String::from_utf8_lossy(found).into_owned();
            return Err(Error::new(source.path(), Fault::Magic { expected: kind.name, found }));
        }
        let mut header = Reader::new(source, 4..bytes.len(), "header".into());
        let version = header.u32()?;
        if version != kind.version {
            let fault = Fault::Version { found: version, supported: kind.version };
            return Err(header.fault_at(4, fault));
        }
        let count = header.u32()?;
        let mut sections = Vec::new();
        for index in 0..count {
            header.name = format!("section table, entry {} of {count}", index + 1);
            let id = header.u32()?;
            let length = header.u64()?;
            header.name = kind.section_name(id);
            let start = header.position;
            header.skip(length)?;
            sections.push((id, start..header.position));
        }
        if header.remaining() > 0 {
            header.name = "end of the last section".into();
            return Err(header.fault(Fault::Trailing(header.remaining() as u64)));
        }
        Ok(Self { source, kind, sections })
    }

    /// The one section with this id.
    pub(crate) fn section(&self, id: u32) -> Result<Reader<'s>, Error> {
        let mut found = self.sections.iter().filter(|(other, _)| *other == id);
        let error =
            |fault| Error::new(self.source.path(), fault).in_section(self.kind.section_name(id));
        let (_, range) = found.next().ok_or_else(|| error(Fault::Missing))?;
        if let Some((_, again)) = found.next() {
            return Err(error(Fault::Repeated).at(again.start - 12));
        }
        Ok(Reader::new(self.source, range.clone(), self.kind.section_name(id)))
    }
}

/// A cursor over a part of a file that knows where it stands, for errors.
pub(crate) struct Reader<'s> {
    source: &'s Source,
    position: usize,
    end: usize,
    name: String,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(source: &'s Source, range: Range<usize>, name: String) -> Self {
        Self { source, position: range.start, end: range.end, name }
    }

    /// Says in errors from here on which part of the section is being read.
    pub(crate) fn describe(&mut self, part: &str) {
        let section = self.name.split(',').next().unwrap_or_default();
        self.name = format!("{section}, {part}");
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end - self.position
    }

    /// The next `length` bytes. Nothing is allocated, so a wild length is only an error.
    pub(crate) fn skip(&mut self, length: u64) -> Result<&'s [u8], Error> {
        let remaining = self.remaining() as u64;
        if length > remaining {
            let missing = length - remaining;
            let at_end = self.end == self.source.bytes().len();
            let fault =
                if at_end { Fault::Truncated { missing } } else { Fault::Short { missing } };
            return Err(self.fault_at(self.end, fault));
        }
        let start = self.position;
        self.position += length as usize;
        Ok(&self.source.bytes()[start..self.position])
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<&'s [u8; N], Error> {
        let bytes = self.skip(N as u64)?;
        Ok(bytes.as_array().expect("skip returns the asked length"))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(*self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(*self.array()?))
    }

    /// A field's modulus: u32 byte count, then the number.
    pub(crate) fn any_modulus(&mut self) -> Result<&'s [u8], Error> {
        let length = self.u32()?;
        self.skip(u64::from(length))
    }

    /// A field's modulus, which must be `expected`, the one of BLS12-381.
    pub(crate) fn modulus(&mut self, expected: &[u8]) -> Result<(), Error> {
        let start = self.position;
        let found = self.any_modulus()?;
        if found != expected {
            return Err(self.fault_at(start, Fault::Curve(curve_name(found))));
        }
        Ok(())
    }

    /// Everything that is left, which must be `expected` bytes (for `what`).
    pub(crate) fn rest(
        &mut self,
        expected: u64,
        what: impl FnOnce() -> String,
    ) -> Result<Range<usize>, Error> {
        let found = self.remaining() as u64;
        if found != expected {
            return Err(self.fault(Fault::Length { what: what(), expected, found }));
        }
        let range = self.position..self.end;
        self.position = self.end;
        Ok(range)
    }

    /// An error at the cursor.
    pub(crate) fn fault(&self, fault: Fault) -> Error {
        self.fault_at(self.position, fault)
    }

    /// An error at an offset of the file, in this section.
    pub(crate) fn fault_at(&self, offset: usize, fault: Fault) -> Error {
        Error::new(self.source.path(), fault).in_section(&self.name).at(offset)
    }
}

/// The name of the curve whose base or scalar field has this modulus, for messages.
pub(crate) fn curve_name(modulus: &[u8]) -> String {
    const BN254_R: &str = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
    const BN254_P: &str = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    const GOLDILOCKS: &str = "ffffffff00000001";
    const LONGEST: usize = 64;
    if modulus == modulus_bytes(&FP_MODULUS) || modulus == modulus_bytes(&SCALAR_MODULUS) {
        return "bls12381".into();
    }
    // A damaged length can make it as long as the file.
    let bytes = modulus.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    if bytes > LONGEST {
        return format!("with a modulus of {bytes} bytes");
    }
    let hex: String = modulus[..bytes].iter().rev().map(|byte| format!("{byte:02x}")).collect();
    match hex.trim_start_matches('0') {
        BN254_R | BN254_P => "bn128 (BN254)".into(),
        GOLDILOCKS => "goldilocks".into(),
        "" => "with modulus 0".into(),
        other => format!("with modulus 0x{other}"),
    }
}

/// Writes a container: the header, then each section with its length.
pub(crate) struct Writer<W> {
    out: W,
}

impl<W: std::io::Write> Writer<W> {
    pub(crate) fn new(mut out: W, kind: &Kind, sections: u32) -> std::io::Result<Self> {
        out.write_all(kind.magic)?;
        out.write_all(&kind.version.to_le_bytes())?;
        out.write_all(&sections.to_le_bytes())?;
        Ok(Self { out })
    }

    /// One section, given in parts.
    pub(crate) fn section(&mut self, id: u32, parts: &[&[u8]]) -> std::io::Result<()> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.out.write_all(&id.to_le_bytes())?;
        self.out.write_all(&(length as u64).to_le_bytes())?;
        parts.iter().try_for_each(|part| self.out.write_all(part))
    }
}

/// A modulus as the headers carry it: u32 byte count, then the number.
pub(crate) fn encode_modulus(limbs: &[u64]) -> Vec<u8> {
    let bytes = modulus_bytes(limbs);
    let mut out = (bytes.len() as u32).to_le_bytes().to_vec();
    out.extend(bytes);
    out
}
