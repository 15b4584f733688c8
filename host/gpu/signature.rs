//! The parameters of kernels, read from PTX: older drivers do not tell them.

use std::sync::Arc;

/// A kernel's name, and the sizes of its parameters in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub name: Arc<str>,
    pub parameters: Vec<u32>,
}

impl From<&ptx_emulator::Kernel> for Signature {
    fn from(kernel: &ptx_emulator::Kernel) -> Self {
        let parameters = kernel.params().iter().map(|parameter| parameter.size).collect();
        Self { name: kernel.name().into(), parameters }
    }
}

/// The kernels of a module that a compiler has taken; what is not a kernel's head is passed over.
pub(super) fn parse(ptx: &str) -> Vec<Signature> {
    let code = without_comments(ptx);
    let mut heads = code.split(".entry");
    // What stands before the first.
    heads.next();
    heads.filter_map(head).collect()
}

/// `name ( .param .u64 .ptr .align 1 a, .param .align 8 .b8 b[16] )`, up to the body.
fn head(text: &str) -> Option<Signature> {
    let (head, _) = text.split_once('{')?;
    let (name, rest) = head.split_once('(').unwrap_or((head, ")"));
    // A kernel without a list may have directives after its name.
    let name = name.split_whitespace().next()?.into();
    let (list, _) = rest.rsplit_once(')')?;
    let list = list.split(',').filter(|parameter| !parameter.trim().is_empty());
    Some(Signature { name, parameters: list.map(size).collect::<Option<_>>()? })
}

/// `.param .u64 .ptr .align 1 name`, or `.param .align 8 .b8 name[16]`.
fn size(parameter: &str) -> Option<u32> {
    let bits = |word: &str| word.trim_start_matches(['.', 'b', 'u', 's', 'f']).parse::<u32>().ok();
    let scalar =
        parameter.split_whitespace().filter(|word| word.starts_with('.')).find_map(bits)?;
    let count = match parameter.split_once('[') {
        None => 1,
        Some((_, count)) => count.trim_end().strip_suffix(']')?.trim().parse().ok()?,
    };
    Some(scalar / 8 * count)
}

fn without_comments(ptx: &str) -> String {
    let mut code = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(at) = rest.find('/') {
        code.push_str(&rest[..at]);
        let comment = &rest[at..];
        let (end, length) = match comment.as_bytes().get(1) {
            Some(b'/') => (comment.find('\n'), 0),
            Some(b'*') => (comment[2..].find("*/").map(|end| end + 2), 2),
            _ => {
                code.push('/');
                (Some(1), 0)
            }
        };
        rest = end.map_or("", |end| &comment[end + length..]);
    }
    code + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_emulator_has_them() {
        let ptx = "
            .version 7.0 // .entry not_this(.param .u32 a)
            .target sm_80
            .address_size 64
            /* .entry
               nor this */
            .func twice(.param .b32 a) { ret; }
            .visible .entry none() { ret; }
            .visible .entry many(
                .param .u64 .ptr .align 1 a, // { of a comment
                .param .u32 b,
                .param .align 8 .b8 c[24],
                .param .f64 d,
                .param .u8 e
            )
            .maxntid 128, 1, 1
            { ret; }
            .entry bare { ret; }";
        let many = Signature { name: "many".into(), parameters: vec![8, 4, 24, 8, 1] };
        let empty = |name: &str| Signature { name: name.into(), parameters: vec![] };
        assert_eq!(parse(ptx), [empty("none"), many, empty("bare")]);
        let emulated = ptx_emulator::Module::parse(ptx).expect("PTX");
        assert_eq!(parse(ptx), emulated.kernels().map(|k| (&k).into()).collect::<Vec<_>>());
    }

    #[test]
    fn of_the_module_that_ships() {
        let emulated = ptx_emulator::Module::parse(crate::ptx::MODULE).expect("PTX");
        let kernels: Vec<_> = emulated.kernels().map(|k| (&k).into()).collect();
        assert_eq!(parse(crate::ptx::MODULE), kernels);
    }
}
