//! Vector graphics (SVG): told from other text. They may hold scripts, which nothing runs: pages show them as pictures, and the file itself is served with a
//! policy that forbids them.

/// Whether a text is an SVG file, as a browser draws one: its first element, after a declaration, comments and a document type, is `svg` of the namespace
/// of SVG.
pub(super) fn is_svg(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    while let Some(end) = prologue(rest) {
        rest = rest.get(end..).unwrap_or_default().trim_start();
    }
    let Some(attributes) = rest.strip_prefix("<svg") else { return false };
    let tag = attributes.split('>').next().unwrap_or_default();
    tag.starts_with(|c: char| c.is_whitespace()) && tag.contains("http://www.w3.org/2000/svg")
}

/// The length of what stands before the first element, if `text` begins with such: `<?xml ...?>`, `<!-- ... -->`, `<!DOCTYPE svg ...>`.
fn prologue(text: &str) -> Option<usize> {
    const PARTS: [(&str, &str); 3] = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE svg", ">")];
    let (open, close) = PARTS.iter().find(|(open, _)| text.starts_with(open))?;
    Some(open.len() + text.get(open.len()..)?.find(close)? + close.len())
}

#[cfg(test)]
mod tests {
    use super::is_svg;

    #[test]
    fn files_of_usual_programs_are_svg() {
        const TAG: &str = "<svg width='1' xmlns='http://www.w3.org/2000/svg'>";
        for start in [
            "",
            "\u{feff}",
            "<?xml version=\"1.0\"?>\n<!-- made by -->\n",
            "<!DOCTYPE svg PUBLIC \"x\" \"y\">\n",
        ] {
            assert!(is_svg(&format!("{start}{TAG}</svg>")), "{start}");
        }
        // Without its namespace a browser draws nothing.
        for none in [
            "",
            "<svg>",
            "<svgx xmlns='http://www.w3.org/2000/svg'>",
            "<p><svg xmlns='http://www.w3.org/2000/svg'>",
            "<!-- <svg",
            "an <svg",
        ] {
            assert!(!is_svg(none), "{none}");
        }
    }
}
