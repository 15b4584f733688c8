//! What the user sees on stderr: a bar a stage on a terminal, a line a stage elsewhere, and messages.
//!
//! The library only opens `tracing` spans; this subscriber draws them. A span with a field `steps`
//! has a bar that moves when a span inside it closes.

use std::fmt::Debug;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// Stages that leave a line without `--verbose`: the outermost and those directly in it.
const USUAL_DEPTH: usize = 2;
/// Stages that have a bar while they run: the MSMs of a proof move the bar of theirs.
const BAR_DEPTH: usize = 3;

/// Draws from now on, for the whole process. Without `stages` none leaves a line unless `verbose`.
pub fn init(quiet: bool, verbose: bool, stages: bool) {
    let bars = (!quiet && stderr().is_terminal()).then(MultiProgress::new);
    let depth = match (quiet, verbose) {
        (true, _) => 0,
        (_, true) => usize::MAX,
        _ if !stages => 0,
        _ => USUAL_DEPTH,
    };
    let display = Display { bars, depth, quiet };
    let subscriber = tracing_subscriber::registry().with(display);
    // It fails only if a subscriber is set already, and this is the program's one place.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

struct Display {
    /// On a terminal.
    bars: Option<MultiProgress>,
    depth: usize,
    quiet: bool,
}

/// What is kept of an open span.
struct Stage {
    start: Instant,
    title: String,
    bar: Option<ProgressBar>,
    /// Whether a line stays when it closes.
    line: bool,
}

impl Display {
    /// A finished line, above the bars.
    fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => bars.suspend(|| write(text)),
            None => write(text),
        }
    }

    fn bar(&self, title: &str, steps: Option<u64>) -> Option<ProgressBar> {
        let bars = self.bars.as_ref()?;
        let bar = match steps {
            Some(steps) => {
                let style =
                    ProgressStyle::with_template("{msg:<40} {bar:24} {pos}/{len} {elapsed}")
                        .expect("a constant template");
                ProgressBar::new(steps).with_style(style)
            }
            None => {
                let style = ProgressStyle::with_template("{msg:<40} {spinner} {elapsed}")
                    .expect("a constant template");
                ProgressBar::new_spinner().with_style(style)
            }
        };
        let bar = bars.add(bar.with_message(title.to_owned()));
        bar.enable_steady_tick(Duration::from_millis(100));
        Some(bar)
    }
}

fn write(text: &str) {
    // Names of files may hold anything; on a terminal control characters would act.
    let text: String = text
        .chars()
        .flat_map(|c| match c.is_control() {
            true => c.escape_default().collect::<Vec<_>>(),
            false => vec![c],
        })
        .collect();
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(stderr(), "{text}");
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Display {
    fn enabled(&self, metadata: &tracing::Metadata<'_>, _: Context<'_, S>) -> bool {
        // Dependencies may log through tracing, too; their messages mean nothing to a user.
        metadata.target().starts_with("warpfield") && *metadata.level() <= Level::INFO
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).expect("a new span is registered");
        let depth = span.scope().count();
        let line = depth <= self.depth;
        let bar = self.bars.is_some() && (line || depth <= BAR_DEPTH);
        if !line && !bar {
            return;
        }
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let name = span.name().replace('_', " ");
        let title = format!("{:indent$}{name}{}", "", fields.text, indent = 2 * (depth - 1));
        let bar = self.bar(&title, fields.steps);
        span.extensions_mut().insert(Stage { start: Instant::now(), title, bar, line });
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(parent) = span.parent()
            && let Some(Stage { bar: Some(bar), .. }) = parent.extensions().get::<Stage>()
        {
            bar.inc(1);
        }
        if let Some(stage) = span.extensions_mut().remove::<Stage>() {
            if let Some(bar) = &stage.bar {
                bar.finish_and_clear();
            }
            if !stage.line {
                return;
            }
            self.line(&format!(
                "{:<40} {:>9.3} s",
                stage.title,
                stage.start.elapsed().as_secs_f64()
            ));
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        match *event.metadata().level() {
            Level::ERROR => self.line(&format!("error: {}", fields.message)),
            Level::WARN => self.line(&format!("warning: {}", fields.message)),
            _ if self.quiet => {}
            _ => self.line(&fields.message),
        }
    }
}

/// The fields of a span or event, as text.
#[derive(Default)]
struct Fields {
    steps: Option<u64>,
    message: String,
    text: String,
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            _ => self.text.push_str(&format!(" {value:?}")),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "steps" => self.steps = Some(value),
            _ => self.record_debug(field, &value),
        }
    }
}
