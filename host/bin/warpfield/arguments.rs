//! Wrong arguments, told in a line as everything else is.

use clap::error::ErrorKind;

use crate::failure::Failure;

/// What clap says, in a line. None for what was asked for, help and the version, and for no arguments at all.
pub fn failure(error: &clap::Error) -> Option<Failure> {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    let is_wrong = error.use_stderr() && !is_help;
    is_wrong.then(|| Failure::other(in_a_line(&error.render().to_string())))
}

/// What is wrong and tips, and where to read on.
fn in_a_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let paragraphs = text.split("\n\n").map(|paragraph| {
        paragraph
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    });
    let (usage, told): (Vec<_>, Vec<_>) = paragraphs
        .filter(|paragraph| !paragraph.is_empty() && !paragraph.starts_with("For more information"))
        .partition(|paragraph| paragraph.starts_with("Usage: "));
    [told.join("; "), usage.join("; "), "--help tells more".into()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_it_all() {
        let clap = "error: the following required arguments were not provided:\n  <A>\n  <B>...\n\n  \
                    tip: look here\n\nUsage: warpfield prove <A> <B>...\n\nFor more information, try '--help'.\n";
        assert_eq!(
            in_a_line(clap),
            "the following required arguments were not provided: <A> <B>...; tip: look here; \
             Usage: warpfield prove <A> <B>...; --help tells more"
        );
        assert_eq!(in_a_line("error: no"), "no; --help tells more");
    }
}
