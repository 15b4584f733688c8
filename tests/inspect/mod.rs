//! A reader of PTX text: just enough to count what is in a kernel.

/// A PTX module, split at its kernels and functions.
pub struct Module<'a> {
    text: &'a str,
    pub kernels: Vec<Body<'a>>,
    pub functions: Vec<Body<'a>>,
}

/// A kernel or function: what is between its braces, without comments, an instruction or directive
/// a line.
pub struct Body<'a> {
    pub name: &'a str,
    /// The lines between the name and the first brace.
    head: Vec<&'a str>,
    lines: Vec<&'a str>,
}

impl<'a> Module<'a> {
    /// Splits the text as LLVM writes it: an instruction a line, the braces of a body on lines of
    /// their own.
    pub fn parse(text: &'a str) -> Self {
        let (mut kernels, mut functions) = (Vec::new(), Vec::new());
        let mut lines = text.lines().map(without_comment);
        while let Some(line) = lines.next() {
            let found = if line.starts_with(".visible .entry ") {
                &mut kernels
            } else if line.starts_with(".func ") {
                &mut functions
            } else {
                continue;
            };
            // A declaration has a semicolon in place of a body.
            let mut head = Vec::new();
            let end = lines.by_ref().find(|line| {
                let is_end = *line == "{" || line.ends_with(';');
                if !is_end {
                    head.push(*line);
                }
                is_end
            });
            if end != Some("{") {
                continue;
            }
            // Each `asm!` block may bring braces of its own, so the end is the one at depth zero.
            let mut depth = 1;
            let body = lines
                .by_ref()
                .take_while(|line| {
                    depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
                    depth > 0
                })
                .filter(|line| !line.is_empty())
                .collect();
            found.push(Body { name: name(line), head, lines: body });
        }
        Self { text, kernels, functions }
    }

    /// Everything that has instructions.
    pub fn bodies(&self) -> impl Iterator<Item = &Body<'a>> {
        self.kernels.iter().chain(&self.functions)
    }

    /// The functions that are declared but not defined: loading the module would fail.
    pub fn unresolved(&self) -> Vec<&'a str> {
        self.text.lines().map(without_comment).filter(|l| l.starts_with(".extern .func")).collect()
    }
}

impl<'a> Body<'a> {
    /// Of each parameter of a kernel its bytes, and whether it is a pointer.
    pub fn parameters(&self) -> Vec<(u32, bool)> {
        let parameters = self.head.iter().filter(|line| line.starts_with(".param"));
        let parameter = |line: &&str| {
            let bits = line.split(['.', ' ']).find_map(|word| word.strip_prefix('u')?.parse().ok());
            (bits.map_or(0, |bits: u32| bits / 8), line.contains(" .ptr "))
        };
        parameters.map(parameter).collect()
    }

    /// Whether it reads this special register.
    pub fn reads(&self, register: &str) -> bool {
        self.lines.iter().any(|line| line.contains(register))
    }

    /// Every line that declares or uses local memory.
    pub fn local_memory(&self) -> Vec<&'a str> {
        let local = |line: &&str| line.contains(".local") || line.contains("%SPL");
        self.lines.iter().filter(|line| local(line)).copied().collect()
    }

    /// How many instructions use shared memory.
    pub fn shared_memory(&self) -> usize {
        self.opcodes().filter(|opcode| opcode.contains(".shared")).count()
    }

    /// How many instructions have this opcode, up to one of its dots.
    pub fn count(&self, opcode: &str) -> usize {
        self.opcodes().filter(|o| is_opcode(o, opcode)).count()
    }

    /// How many 32×32 → 64-bit products the text makes, apart from those of addresses.
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

/// The word before the last parenthesis of a heading: a function's result comes before its name.
fn name(heading: &str) -> &str {
    let head = heading.rsplit_once('(').map_or(heading, |(head, _)| head).trim();
    head.rsplit(' ').next().expect("split gives one item")
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
\t.param .u64 .ptr .align 1 one_param_0,
\t.param .u32 one_param_1
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
\tmov.u32 %r1, %ctaid.x;
\tret;
}

.func declared()
;
.func failing
()
.noreturn;

.func  (.param .b32 func_retval0) helper(
\t.param .b32 helper_param_0
)
{
\tst.local.b32 [%rd1], %r1;
\tst.shared.v4.u32 [%r1], {%r1, %r2, %r3, %r4};
\tld.shared.u32 %r2, [%r1];
\tmul.hi.u32 %r1, %r2, %r3;
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
        let names: Vec<_> = Module::parse(BAD).functions.iter().map(|f| f.name).collect();
        assert_eq!(names, ["helper"]);
    }

    #[test]
    fn parameters_and_registers() {
        let module = Module::parse(BAD);
        assert_eq!(module.kernels[0].parameters(), [(8, true), (4, false)]);
        assert_eq!(module.kernels[1].parameters(), []);
        assert!(module.kernels[0].reads("%ctaid.x") && !module.kernels[0].reads("%ctaid.y"));
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
        assert_eq!(module.functions[0].local_memory().len(), 1);
    }

    #[test]
    fn shared_memory() {
        let module = Module::parse(BAD);
        assert_eq!(module.kernels[0].shared_memory(), 0);
        assert_eq!(module.functions[0].shared_memory(), 2);
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
        assert_eq!(module.functions[0].wide_products(), 1);
    }
}
