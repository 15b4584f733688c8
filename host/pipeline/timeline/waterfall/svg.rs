//! The few elements of SVG that the picture has.

use std::io::{self, Write as _};

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};

/// A picture that is being written.
pub(super) struct Svg(Writer<Vec<u8>>);

/// A length, or a place, to a tenth of a pixel: fewer bytes, and the same everywhere.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

impl Svg {
    /// Of this size, with a name for who does not see it, a style sheet and a ground.
    pub fn new((width, height): (f64, f64), title: &str, style: &str) -> Self {
        let mut svg = Self(Writer::new(Vec::new()));
        let [width_text, height_text] = [width, height].map(number);
        let view = format!("0 0 {width_text} {height_text}");
        let root = BytesStart::new("svg").with_attributes([
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("role", "img"),
            ("viewBox", &*view),
            ("width", &*width_text),
            ("height", &*height_text),
        ]);
        svg.event(Event::Start(root));
        svg.element("title", [], Some(title));
        svg.element("style", [], Some(style));
        svg.rect("ground", (0.0, 0.0), (width, height), None);
        svg
    }

    fn event(&mut self, event: Event<'_>) {
        self.0.write_event(event).expect("memory takes all");
    }

    fn element<const N: usize>(
        &mut self,
        name: &str,
        attributes: [(&str, &str); N],
        text: Option<&str>,
    ) {
        let element = BytesStart::new(name).with_attributes(attributes);
        match text {
            None => self.event(Event::Empty(element)),
            Some(text) => {
                self.event(Event::Start(element));
                self.event(Event::Text(BytesText::new(text)));
                self.event(Event::End(BytesEnd::new(name)));
            }
        }
    }

    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        let places = [("x1", &*x1), ("y1", &*y1), ("x2", &*x2), ("y2", &*y2), ("class", class)];
        self.element("line", places, None);
    }

    pub fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let [x, y] = [x, y].map(number);
        self.element("text", [("x", &*x), ("y", &*y), ("class", class)], Some(text));
    }

    /// A rectangle, with what is shown to who points at it.
    pub fn rect(&mut self, class: &str, at: (f64, f64), size: (f64, f64), title: Option<&str>) {
        let [x, y, width, height] = [at.0, at.1, size.0, size.1].map(number);
        let attributes =
            [("class", class), ("x", &*x), ("y", &*y), ("width", &*width), ("height", &*height)];
        let Some(title) = title else { return self.element("rect", attributes, None) };
        self.event(Event::Start(BytesStart::new("rect").with_attributes(attributes)));
        self.element("title", [], Some(title));
        self.event(Event::End(BytesEnd::new("rect")));
        self.line_end().expect("memory takes all");
    }

    fn line_end(&mut self) -> io::Result<()> {
        self.0.get_mut().write_all(b"\n")
    }

    pub fn finish(mut self) -> String {
        self.event(Event::End(BytesEnd::new("svg")));
        self.line_end().expect("memory takes all");
        String::from_utf8(self.0.into_inner()).expect("all of it is text")
    }
}
