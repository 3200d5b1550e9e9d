//! Whether a PDF file is only to be looked at.
//!
//! A viewer of PDF files runs the scripts in them and follows their actions, whatever the frame around it forbids. So a file that may hold
//! any is not taken: its names are looked at, those in compressed streams too, and what cannot be looked at is not taken either.

use flate2::read::ZlibDecoder;
use std::io::Read;

/// Names of what acts, and of what hides other names, and what they mean for people.
const REFUSED: [(&[u8], &str); 6] = [
    (b"JavaScript", "holds a script"),
    (b"Rendition", "holds a script"),
    (b"XFA", "is a form that runs scripts"),
    (b"Launch", "starts another program"),
    (b"RichMedia", "holds a program"),
    (b"Encrypt", "is encrypted"),
];

/// Filters that are not undone here. Objects under one of them could be anything.
const OTHER_FILTERS: [&[u8]; 6] =
    [b"LZWDecode", b"ASCIIHexDecode", b"ASCII85Decode", b"RunLengthDecode", b"Crypt", b"Predictor"];

/// The most bytes of one stream, and of all, that are looked at.
const LONGEST_STREAM: u64 = 16 << 20;
const ALL_STREAMS: u64 = 256 << 20;
/// The longest description of a stream before its bytes.
const LONGEST_HEAD: usize = 2000;

/// Whether bytes are those of a PDF file.
pub fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

/// Whether a PDF file runs nothing.
///
/// # Errors
/// The rest of the sentence that says why it is not taken.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    let refuse = |what: &str| {
        Err(format!("{what}, which is not shown here; print it to a new PDF file, and send that"))
    };
    if let Some(what) = acts(bytes) {
        return refuse(what);
    }
    let mut left = ALL_STREAMS;
    for at in places(bytes, b"stream") {
        if bytes[..at].ends_with(b"end") {
            continue;
        }
        let head = &bytes[at.saturating_sub(LONGEST_HEAD)..at];
        let head = places(head, b"obj").last().map_or(head, |object| &head[object..]);
        let holds_objects = has_name(head, b"ObjStm");
        if holds_objects && OTHER_FILTERS.iter().any(|filter| has_name(head, filter)) {
            return refuse("is packed in a way that hides what it does");
        }
        let begin = at + b"stream".len();
        let begin = begin + bytes[begin..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count().min(2);
        let mut text = Vec::new();
        // A stream that is not compressed was looked at as it is; one that breaks off is looked at up to there.
        let read = ZlibDecoder::new(&bytes[begin..]).take(LONGEST_STREAM.min(left)).read_to_end(&mut text);
        left = left.saturating_sub(text.len() as u64);
        if left == 0 || (holds_objects && read.is_err() && !text.is_empty()) {
            return refuse("is packed in a way that hides what it does");
        }
        if let Some(what) = acts(&text) {
            return refuse(what);
        }
    }
    Ok(())
}

/// What a text of PDF objects does that is refused.
fn acts(text: &[u8]) -> Option<&'static str> {
    let found = |name: &[u8]| REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, what)| *what);
    names(text).find_map(|name| found(&name))
}

fn has_name(text: &[u8], wanted: &[u8]) -> bool {
    names(text).any(|name| name == wanted)
}

/// All names, with what `#` and two digits stand for.
fn names(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    text.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(at, _)| {
        const LONGEST: usize = 40;
        let ends = |b: &u8| b.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(b);
        let rest = &text[at + 1..];
        let raw = &rest[..rest.iter().take(LONGEST).position(ends).unwrap_or(rest.len().min(LONGEST))];
        let (mut name, mut i) = (Vec::with_capacity(raw.len()), 0);
        while let Some(&byte) = raw.get(i) {
            let escaped = (byte == b'#').then(|| raw.get(i + 1..i + 3)).flatten();
            let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
            let escaped = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            name.push(escaped.unwrap_or(byte));
            i += if escaped.is_some() { 3 } else { 1 };
        }
        name
    })
}

/// Where `wanted` stands in `text`.
fn places(text: &[u8], wanted: &[u8]) -> impl Iterator<Item = usize> {
    let first = wanted[0];
    (0..text.len().saturating_sub(wanted.len() - 1))
        .filter(move |&at| text[at] == first && text[at..].starts_with(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn file(head: &str, stream: &[u8]) -> Vec<u8> {
        [
            b"%PDF-1.5\n1 0 obj\n<<".as_slice(),
            head.as_bytes(),
            b">>\nstream\r\n",
            stream,
            b"\nendstream\nendobj\n",
        ]
        .concat()
    }

    #[test]
    fn what_is_only_to_be_looked_at_is_taken() {
        let page = "/Type /ObjStm /Filter /FlateDecode";
        for bytes in [
            file("/Length 5", b"BT ET"),
            file(page, &packed("<</Type /Page /OpenAction [3 0 R /Fit]>>")),
            file("/Filter /DCTDecode", b"\xff\xd8\xff\xe0 a picture"),
        ] {
            assert!(is_pdf(&bytes));
            assert_eq!(check(&bytes), Ok(()));
        }
    }

    #[test]
    fn what_acts_or_hides_is_refused() {
        let page = "/Type /ObjStm /Filter /FlateDecode";
        for (head, stream, part) in [
            ("/OpenAction << /S /JavaScript /JS (app.alert(1)) >>", b"x".to_vec(), "holds a script"),
            ("/S /Java#53cript", b"x".to_vec(), "holds a script"),
            (page, packed("<< /S /JavaScript /JS (1) >>"), "holds a script"),
            ("/AcroForm << /XFA 3 0 R >>", b"x".to_vec(), "runs scripts"),
            ("/Encrypt 5 0 R", b"x".to_vec(), "is encrypted"),
            ("/Type /ObjStm /Filter [/ASCIIHexDecode /FlateDecode]", b"x".to_vec(), "hides what it does"),
            ("/Type /ObjStm /DecodeParms << /Predictor 12 >>", b"x".to_vec(), "hides what it does"),
        ] {
            let error = check(&file(head, &stream)).unwrap_err();
            assert!(error.contains(part), "{head}: {error}");
        }
    }
}
