//! A reader of PTX text: just enough to count what is in a kernel.

/// A PTX module, split at its kernels.
pub struct Module<'a> {
    text: &'a str,
    pub kernels: Vec<Kernel<'a>>,
}

/// A kernel: what is between its braces, without comments, an instruction or directive a line.
pub struct Kernel<'a> {
    pub name: &'a str,
    lines: Vec<&'a str>,
}

impl<'a> Module<'a> {
    /// Splits the text as LLVM writes it: an instruction a line, the braces of a body on lines of
    /// their own.
    pub fn parse(text: &'a str) -> Self {
        let mut kernels = Vec::new();
        let mut lines = text.lines().map(without_comment);
        while let Some(line) = lines.next() {
            let Some(name) = line.strip_prefix(".visible .entry ") else { continue };
            let name = name.split('(').next().expect("split gives one item").trim();
            let body = lines.by_ref().skip_while(|line| *line != "{").skip(1);
            // Each `asm!` block may bring braces of its own, so the end is the one at depth zero.
            let mut depth = 1;
            let lines = body
                .take_while(|line| {
                    depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
                    depth > 0
                })
                .filter(|line| !line.is_empty())
                .collect();
            kernels.push(Kernel { name, lines });
        }
        Self { text, kernels }
    }

    /// The functions that are declared but not defined: loading the module would fail.
    pub fn unresolved(&self) -> Vec<&'a str> {
        self.text.lines().map(without_comment).filter(|l| l.starts_with(".extern .func")).collect()
    }
}

impl<'a> Kernel<'a> {
    /// Every line that declares or uses local memory.
    pub fn local_memory(&self) -> Vec<&'a str> {
        let local = |line: &&str| line.contains(".local") || line.contains("%SPL");
        self.lines.iter().filter(|line| local(line)).copied().collect()
    }

    /// How many instructions have this opcode, up to one of its dots.
    pub fn count(&self, opcode: &str) -> usize {
        self.opcodes().filter(|o| is_opcode(o, opcode)).count()
    }

    /// How many 32×32 → 64-bit products the kernel makes, apart from those of addresses.
    ///
    /// A product is `mul.wide`, or a multiply-add of the low and one of the high half of the same
    /// factors, of which this counts the high one. An index times the size of an element, and the
    /// block's index times its size, are products by a constant or of special registers.
    pub fn wide_products(&self) -> usize {
        let wide = self.lines.iter().filter(|line| {
            opcode(line).is_some_and(|o| is_opcode(o, "mul.wide")) && !line.ends_with_constant()
        });
        wide.count() + self.count("mul.hi") + self.count("mad.hi") + self.count("madc.hi")
    }

    fn opcodes(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(|line| opcode(line))
    }
}

trait Line {
    fn ends_with_constant(&self) -> bool;
}

impl Line for &str {
    /// Whether the last operand is a number.
    fn ends_with_constant(&self) -> bool {
        let last = self.trim_end_matches(';').rsplit([' ', '\t', ',']).next().unwrap_or("");
        last.starts_with(|c: char| c.is_ascii_digit())
    }
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().expect("split gives one item").trim()
}

/// The opcode of an instruction, behind its predicate; none for a directive or a label.
fn opcode(line: &str) -> Option<&str> {
    let line = if line.starts_with('@') { line.split_once([' ', '\t'])?.1.trim() } else { line };
    let first = line.split([' ', '\t', ';']).next()?;
    first.starts_with(|c: char| c.is_ascii_lowercase()).then_some(first)
}

fn is_opcode(full: &str, prefix: &str) -> bool {
    full.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The checks must be able to fail.
mod refuses {
    use super::Module;

    const BAD: &str = "
.version 7.0
.target sm_80
.address_size 64

.extern .func memcpy // who brings this?
(
)
;

.visible .entry one(
\t.param .u64 one_param_0
)
{
\t.local .align 8 .b8 \t__local_depot0[96];
\t.reg .b32 \t%r<5>;
\tld.local.b32 %r1, [%rd1];
\t// begin inline asm
\t{
\tmad.lo.cc.u32 %r1, %r2, %r3, %r1;
\tmadc.hi.cc.u32 %r4, %r2, %r3, %r4;
\t}
\t// end inline asm
\tmul.wide.u32 \t%rd1, %r2, %r3;
\tmul.wide.u32 \t%rd2, %r1, 48;
\t@%p1 bar.sync \t0;
\tbarrier.sync 1;
\tret;
}

.visible .entry two()
{
\tret;
}
";

    #[test]
    fn names() {
        let names: Vec<_> = Module::parse(BAD).kernels.iter().map(|kernel| kernel.name).collect();
        assert_eq!(names, ["one", "two"]);
    }

    #[test]
    fn unresolved_functions() {
        assert_eq!(Module::parse(BAD).unresolved(), [".extern .func memcpy"]);
    }

    #[test]
    fn local_memory() {
        let module = Module::parse(BAD);
        assert_eq!(module.kernels[0].local_memory().len(), 2);
        assert!(module.kernels[1].local_memory().is_empty());
    }

    #[test]
    fn barriers() {
        let module = Module::parse(BAD);
        assert_eq!(module.kernels[0].count("bar.sync"), 1);
        assert_eq!(module.kernels[0].count("barrier.sync"), 1);
        assert_eq!(module.kernels[1].count("bar.sync"), 0);
    }

    #[test]
    fn products() {
        let module = Module::parse(BAD);
        assert_eq!(module.kernels[0].wide_products(), 2);
        assert_eq!(module.kernels[1].wide_products(), 0);
    }
}
