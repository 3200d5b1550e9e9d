//! What can be seen or heard: bytes and what they are, told by the bytes themselves.

use super::{pdf, svg};
use crate::view::MediaKind;
use axum::body::Bytes;

/// What bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A sound: RIFF WAVE.
    Wav,
    /// A sound: FLAC.
    Flac,
    /// A sound: Ogg (Vorbis, Opus).
    Ogg,
    /// A sound: MPEG audio layer 3.
    Mp3,
    /// A picture: PNG.
    Png,
    /// A picture: JPEG.
    Jpeg,
    /// A picture: GIF.
    Gif,
    /// A picture: WebP.
    Webp,
    /// A picture: SVG.
    Svg,
    /// A video: MP4.
    Mp4,
    /// A video: WebM.
    Webm,
    /// A document: PDF.
    Pdf,
    /// A page.
    Html,
    /// Plain text in UTF-8.
    Text,
}

/// A longer text is no text to compare.
pub const LONGEST_TEXT: usize = 100_000;

impl Format {
    /// What `bytes` are, by their first bytes; `None` for anything that is not shown or played here.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let riff = |what: &[u8]| bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(what);
        let starts = |magic: &[u8]| bytes.starts_with(magic);
        Some(match bytes {
            _ if riff(b"WAVE") => Self::Wav,
            _ if riff(b"WEBP") => Self::Webp,
            _ if starts(b"\x89PNG\r\n\x1a\n") => Self::Png,
            _ if starts(b"\xff\xd8\xff") => Self::Jpeg,
            _ if starts(b"GIF87a") || starts(b"GIF89a") => Self::Gif,
            _ if starts(b"fLaC") => Self::Flac,
            _ if starts(b"OggS") => Self::Ogg,
            _ if pdf::is_pdf(bytes) => Self::Pdf,
            _ if bytes.get(4..8) == Some(b"ftyp") => Self::Mp4,
            _ if starts(b"\x1a\x45\xdf\xa3") => Self::Webm,
            _ if starts(b"ID3") || is_mp3_frame(bytes) => Self::Mp3,
            _ => Self::of_text(bytes)?,
        })
    }

    fn of_text(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        let start: String =
            text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']).chars().take(14).collect();
        let start = start.to_ascii_lowercase();
        if start.starts_with("<!doctype html") || start.starts_with("<html") {
            return Some(Self::Html);
        }
        if svg::is_svg(text) {
            return Some(Self::Svg);
        }
        (text.len() <= LONGEST_TEXT && !text.contains(odd)).then_some(Self::Text)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
            Self::Ogg => "ogg",
            Self::Mp3 => "mp3",
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::Webp => "webp",
            Self::Svg => "svg",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
            Self::Pdf => "pdf",
            Self::Html => "html",
            Self::Text => "text",
        }
    }

    /// The format of this name, which is also the usual ending of its files.
    pub fn named(name: &str) -> Option<Self> {
        const ALL: [Format; 14] = [
            Format::Wav,
            Format::Flac,
            Format::Ogg,
            Format::Mp3,
            Format::Png,
            Format::Jpeg,
            Format::Gif,
            Format::Webp,
            Format::Svg,
            Format::Mp4,
            Format::Webm,
            Format::Pdf,
            Format::Html,
            Format::Text,
        ];
        let name = match name {
            "jpg" => "jpeg",
            "oga" | "opus" => "ogg",
            "m4v" => "mp4",
            "htm" => "html",
            "txt" => "text",
            other => other,
        };
        ALL.into_iter().find(|format| format.name() == name)
    }

    /// How it is shown.
    pub fn kind(self) -> MediaKind {
        match self {
            Self::Wav | Self::Flac | Self::Ogg | Self::Mp3 => MediaKind::Audio,
            Self::Png | Self::Jpeg | Self::Gif | Self::Webp | Self::Svg => MediaKind::Image,
            Self::Mp4 | Self::Webm => MediaKind::Video,
            Self::Pdf => MediaKind::Pdf,
            Self::Html => MediaKind::Html,
            Self::Text => MediaKind::Text,
        }
    }

    /// As HTTP names it.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Wav => "audio/wav",
            Self::Flac => "audio/flac",
            Self::Ogg => "audio/ogg",
            Self::Mp3 => "audio/mpeg",
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Svg => "image/svg+xml",
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
            Self::Pdf => "application/pdf",
            Self::Html => "text/html; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
        }
    }
}

/// A frame of layer 3: eleven bits of synchronisation, the layer, and no reserved bit rate or sampling rate.
fn is_mp3_frame(bytes: &[u8]) -> bool {
    let Some([sync, layer, rates, ..]) = bytes.get(..4) else { return false };
    *sync == 0xff && layer & 0xe6 == 0xe2 && rates >> 4 != 15 && (rates >> 2) & 3 != 3
}

/// Something to see or hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// What it is.
    pub format: Format,
    /// The bytes.
    pub bytes: Bytes,
}

impl Media {
    /// Takes bytes that can be shown or played.
    ///
    /// # Errors
    /// The rest of the sentence that says why these cannot.
    pub fn of(bytes: impl Into<Bytes>) -> Result<Self, String> {
        const NONE: &str =
            "is none of WAV, FLAC, Ogg, MP3, PNG, JPEG, GIF, WebP, SVG, MP4, WebM, PDF, HTML and text";
        let bytes = bytes.into();
        let format = Format::of(&bytes).ok_or(NONE)?;
        if format == Format::Pdf {
            pdf::check(&bytes)?;
        }
        Ok(Self { format, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        let known: [(&[u8], Format); 16] = [
            (b"%PDF-1.7", Format::Pdf),
            (b"\x00\x00\x00\x20ftypisom", Format::Mp4),
            (b"\x1a\x45\xdf\xa3\x9f", Format::Webm),
            (b"RIFF\x00\x00\x00\x00WAVEfmt ", Format::Wav),
            (b"RIFF\x00\x00\x00\x00WEBPVP8 ", Format::Webp),
            (b"\x89PNG\r\n\x1a\n....", Format::Png),
            (b"\xff\xd8\xff\xe0", Format::Jpeg),
            (b"GIF89a", Format::Gif),
            (b"fLaC", Format::Flac),
            (b"OggS", Format::Ogg),
            (b"ID3\x04", Format::Mp3),
            (b"\xff\xfb\x90\x64", Format::Mp3),
            (b"\n <!DOCTYPE html><p>x", Format::Html),
            ("grün\n".as_bytes(), Format::Text),
            (b"", Format::Text),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", Format::Svg),
        ];
        for (bytes, format) in known {
            assert_eq!(Format::of(bytes), Some(format), "{bytes:?}");
        }
        for none in [
            b"\x7fELF\x02\x01".as_slice(),
            b"PK\x03\x04\x00",
            b"a\0b",
            b"\xff\xfe\xfd",
            &vec![b'a'; LONGEST_TEXT + 1],
        ] {
            assert_eq!(Format::of(none), None);
        }
    }
}
