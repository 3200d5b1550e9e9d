//! Draws one of each figure into a folder, to look at:
//! `cargo run -p rather-plot --features png --example gallery -- FOLDER`

#[path = "../tests/it/gallery.rs"]
#[allow(dead_code)]
mod gallery;
#[path = "../tests/it/recursive.rs"]
#[allow(dead_code)]
mod recursive;

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder for the figures")?);
    std::fs::create_dir_all(&folder)?;
    for (name, figure) in gallery::all() {
        let figure = figure?;
        std::fs::write(folder.join(format!("{name}.svg")), figure.as_svg())?;
        #[cfg(feature = "png")]
        std::fs::write(folder.join(format!("{name}.png")), figure.to_png(1.5)?)?;
    }
    Ok(())
}
