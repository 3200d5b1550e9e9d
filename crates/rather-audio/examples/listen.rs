//! Writes the built-in clip at a few settings as WAV files and prints what measures and listeners say of them:
//!
//! ```text
//! cargo run --release -p rather-audio --example listen -- FOLDER [SEED]
//! ```

use rather_audio::demo::{Demo, Options};
use rather_audio::listener::Taste;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder should the sounds go to?")?);
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    std::fs::create_dir_all(&folder)?;

    let tastes = [("quiet", Taste::QUIET), ("balanced", Taste::BALANCED), ("clear", Taste::CLEAR)];
    let demos = tastes
        .iter()
        .map(|(_, taste)| Demo::with(&Options { seed, taste: *taste, ..Options::default() }))
        .collect::<Result<Vec<Demo>, _>>()?;
    let mut sounds = vec![("untreated".to_string(), vec![0.5, 0.0]), ("all-out".to_string(), vec![1.0, 1.0])];
    for ((name, _), demo) in tastes.iter().zip(&demos) {
        for dimensions in [1, 2] {
            if let Some(listener) = demo.listener(dimensions) {
                sounds.push((format!("{name}-{dimensions}"), listener.favourite().to_vec()));
            }
        }
    }

    println!(
        "{:12} {:>7} {:>7} {:>7} {:>7}   utility: quiet, balanced, clear",
        "", "beta", "floor", "segSNR", "SI-SDR"
    );
    for (name, theta) in sounds {
        std::fs::write(folder.join(format!("{name}.wav")), demos[0].render(&theta)?)?;
        let setting = rather_audio::Setting::at(&theta)?;
        let (beta, floor) = (setting.over_subtraction(), setting.floor_db());
        print!("{name:12} {beta:7.2} {floor:7.1}");
        if let Some(quality) = demos[0].quality(&theta)? {
            print!(" {:7.2} {:7.2}  ", quality.segmental_snr, quality.si_sdr);
        }
        for demo in &demos {
            if let Some(utility) = demo.utility(&theta)? {
                print!(" {utility:6.2}");
            }
        }
        println!();
    }
    Ok(())
}
