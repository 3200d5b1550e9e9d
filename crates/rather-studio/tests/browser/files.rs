//! Files that somebody brings along.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn keep(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// So many WAV files: a tone of half a second each.
pub(crate) fn sounds(folder: &Path, n: usize) -> Vec<PathBuf> {
    (0..n).map(|i| keep(folder, &format!("take-{i}.wav"), &tone(200.0 + 40.0 * i as f64))).collect()
}

/// Half a second of a tone: 16 bits, mono.
fn tone(frequency: f64) -> Vec<u8> {
    const RATE: u32 = 16_000;
    let samples = (0..RATE / 2).flat_map(|i| {
        let phase = 2.0 * std::f64::consts::PI * frequency * f64::from(i) / f64::from(RATE);
        ((8000.0 * phase.sin()) as i16).to_le_bytes()
    });
    let samples: Vec<u8> = samples.collect();
    let length = samples.len() as u32;
    let mut wav = b"RIFF".to_vec();
    wav.extend((36 + length).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend([1_u16, 1].map(u16::to_le_bytes).concat());
    wav.extend([RATE, 2 * RATE].map(u32::to_le_bytes).concat());
    wav.extend([2_u16, 16].map(u16::to_le_bytes).concat());
    wav.extend(b"data");
    wav.extend(length.to_le_bytes());
    wav.extend(samples);
    wav
}

/// Forty pictures, four models' to each of ten prompts, and the table that says which is which.
pub(crate) fn pictures(folder: &Path) -> (Vec<PathBuf>, PathBuf) {
    let mut table = "item,file,prompt,model\n".to_owned();
    let mut all = Vec::new();
    for prompt in 0..10_u8 {
        for model in 0..4_u8 {
            let name = format!("p{prompt}-m{model}.gif");
            table += &format!("p{prompt}-m{model},{name},A cat on roof {prompt},model {model}\n");
            all.push(keep(folder, &name, &pixel([20 * prompt, 60 * model, 128])));
        }
    }
    (all, keep(folder, "prompts.csv", table.as_bytes()))
}

/// A GIF of one pixel of this colour.
fn pixel(colour: [u8; 3]) -> Vec<u8> {
    let mut gif = b"GIF89a\x01\x00\x01\x00\x80\x00\x00".to_vec();
    gif.extend(colour);
    gif.extend(b"\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;");
    gif
}

/// A picture as SVG, with a script that would change the title of the page.
pub(crate) fn drawing(folder: &Path, name: &str) -> PathBuf {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40'><script>document.title = 'pwned'</script>\
               <circle cx='20' cy='20' r='15' fill='teal'/></svg>";
    keep(folder, name, svg.as_bytes())
}

/// A table.
pub(crate) fn table(folder: &Path, text: &str) -> PathBuf {
    keep(folder, "table.csv", text.as_bytes())
}

/// So many PDF files of one page.
pub(crate) fn essays(folder: &Path, n: usize) -> Vec<PathBuf> {
    (0..n).map(|i| keep(folder, &format!("essay-{i}.pdf"), &pdf(&format!("Essay {i}"), ""))).collect()
}

/// A page with a word on it; `action` is what the file does when it is opened.
pub(crate) fn pdf(word: &str, action: &str) -> Vec<u8> {
    let text = format!("BT /F1 48 Tf 20 100 Td ({word}) Tj ET");
    let objects = [
        format!("<</Type/Catalog/Pages 2 0 R{action}>>"),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
            .to_owned(),
        format!("<</Length {}>>stream\n{text}\nendstream", text.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        places.push(file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", i + 1);
    }
    let table = file.len();
    file += &format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in &places {
        file += &format!("{place:010} 00000 n \n");
    }
    file += &format!("trailer<</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF", objects.len() + 1);
    file.into_bytes()
}

/// The backup that comes into the folder.
pub(crate) async fn downloaded(folder: &Path) -> PathBuf {
    let start = Instant::now();
    loop {
        let found = fs::read_dir(folder).unwrap().filter_map(Result::ok).map(|entry| entry.path());
        let found = found.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "db"));
        if let Some(path) = found {
            return path;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no backup came");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
