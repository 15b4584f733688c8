//! A reader of Markdown: just enough to find what documents show.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the fence, such as `sh` or `rs`.
    pub language: String,
    /// The number of its first line.
    pub line: usize,
    pub text: String,
    /// The paragraph before it.
    pub before: String,
}

/// A code span outside of blocks, its lines joined.
#[derive(Debug, PartialEq, Eq)]
pub struct Span {
    pub line: usize,
    pub text: String,
}

/// Text outside of blocks: a paragraph or a table.
struct Paragraph {
    line: usize,
    text: String,
}

/// Splits a document.
fn split(document: &str) -> (Vec<Block>, Vec<Paragraph>) {
    let (mut blocks, mut paragraphs) =
        (Vec::new(), vec![Paragraph { line: 1, text: String::new() }]);
    let mut lines = document.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let content = lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```");
            let content: Vec<_> = content.collect();
            let text = content.join("\n");
            let last = paragraphs.iter().rev().find(|paragraph| !paragraph.text.is_empty());
            let before = last.map(|paragraph| paragraph.text.clone()).unwrap_or_default();
            blocks.push(Block { language: language.into(), line: number + 1, text, before });
            let line = number + content.len() + 2;
            paragraphs.push(Paragraph { line, text: String::new() });
        } else if line.is_empty() {
            paragraphs.push(Paragraph { line: number + 1, text: String::new() });
        } else {
            let paragraph = paragraphs.last_mut().expect("there is one at first");
            paragraph.text += line;
            paragraph.text.push('\n');
        }
    }
    (blocks, paragraphs)
}

/// The fenced blocks.
pub fn blocks(document: &str) -> Vec<Block> {
    split(document).0
}

/// The code spans.
pub fn spans(document: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for Paragraph { line, text } in split(document).1 {
        // Every other piece is inside.
        let mut pieces = text.split('`');
        let mut at = line;
        while let (Some(outside), Some(inside)) = (pieces.next(), pieces.next()) {
            at += outside.matches('\n').count();
            let joined = inside.split_whitespace().collect::<Vec<_>>().join(" ");
            spans.push(Span { line: at, text: joined });
            at += inside.matches('\n').count();
        }
    }
    spans
}

/// The commands of a block for a shell: each line, with those that follow a `\`, but no comments.
pub fn commands(block: &Block) -> Vec<Span> {
    let mut commands = Vec::new();
    let mut whole = String::new();
    for (line, number) in block.text.lines().zip(block.line..) {
        if let Some(part) = line.strip_suffix('\\') {
            whole += part;
            continue;
        }
        whole += line;
        let text = std::mem::take(&mut whole);
        if !text.is_empty() && !text.starts_with('#') {
            commands.push(Span { line: number, text });
        }
    }
    commands
}

/// The targets of links.
pub fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1);
    targets.map(|rest| rest.split([')', ' ']).next().expect("split gives one")).collect()
}

#[test]
fn documents_are_split() {
    const DOCUMENT: &str = "# Title\n\nSee [a file](a.rs) and `warpfield\nprove x`, or `b`:\n\n```sh\n# why\none \\\n  two\n\nthree\n```\nend `c`\n";
    let found = blocks(DOCUMENT);
    assert_eq!(found.len(), 1);
    let Block { language, line, before, .. } = &found[0];
    assert_eq!((language.as_str(), *line, links(before)), ("sh", 7, vec!["a.rs"]));
    let span = |line, text: &str| Span { line, text: text.into() };
    assert_eq!(commands(&found[0]), [span(9, "one   two"), span(11, "three")]);
    assert_eq!(spans(DOCUMENT), [span(3, "warpfield prove x"), span(4, "b"), span(13, "c")]);
}
