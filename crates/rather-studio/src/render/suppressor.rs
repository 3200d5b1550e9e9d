//! The built-in renderer: a noise suppressor on a noisy sound, tuned by ear.
//!
//! A study's parameters are `floor`, the lowest gain in dB (-40 to 0), and, if it has two, `over-subtraction` (0.05 to 50,
//! where 1 is the Wiener gain).

use super::media::{Format, Media};
use super::{RenderError, Renderer};
use crate::view::MediaKind;
use rather_audio::demo::Demo;
use rather_study::space::{Parameter, Range, Scale, Space};
use rather_study::{Alternative, Setting};

/// The floor's parameter.
pub const FLOOR: &str = "floor";
/// The over-subtraction's parameter.
pub const OVER_SUBTRACTION: &str = "over-subtraction";

const DEEPEST_FLOOR: f64 = -40.0;
const OVER_SUBTRACTIONS: (f64, f64) = (0.05, 50.0);

/// The suppressor on one sound.
#[derive(Debug)]
pub struct Suppressor {
    demo: Demo,
}

impl Suppressor {
    /// On the sound that the program makes itself.
    pub fn built_in() -> Self {
        Self { demo: Demo::new(1) }
    }

    /// On a WAV file.
    ///
    /// # Errors
    /// If it is none that can be used; the message says why.
    pub fn on(wav: &[u8]) -> Result<Self, rather_audio::Error> {
        Ok(Self { demo: Demo::from_wav(wav)? })
    }

    /// The sound, with what is known about it.
    pub fn demo(&self) -> &Demo {
        &self.demo
    }
}

/// The parameters of a study: the floor, and with `both` the over-subtraction before it.
pub fn space(both: bool) -> Space {
    let float = |name: &str, (low, high), scale| Parameter {
        name: name.to_owned(),
        range: Range::Float { low, high, scale, step: None },
    };
    let over = both.then(|| float(OVER_SUBTRACTION, OVER_SUBTRACTIONS, Scale::Log));
    let floor = float(FLOOR, (DEEPEST_FLOOR, 0.0), Scale::Linear);
    Space { parameters: over.into_iter().chain([floor]).collect() }
}

/// Where a setting lies in the unit interval or square of [`Demo::render`].
///
/// # Errors
/// The rest of the sentence that says why it lies nowhere there.
pub fn coordinates(setting: &Setting) -> Result<Vec<f64>, String> {
    let wanted = "the suppressor has the parameters \"floor\" (from -40 to 0) and, if you like, \
                  \"over-subtraction\" (from 0.05 to 50)";
    if let Some((name, _)) = setting.values.iter().find(|(name, _)| name != FLOOR && name != OVER_SUBTRACTION)
    {
        return Err(format!("{} is none of them: {wanted}", rather_io::quote(name)));
    }
    let floor = setting.get(FLOOR).and_then(rather_study::Value::number).ok_or(wanted)?;
    let over = setting.get(OVER_SUBTRACTION).map(|value| value.number().ok_or(wanted)).transpose()?;
    let (low, high) = OVER_SUBTRACTIONS;
    // Rounding may leave an edge by a hair; anything farther out is a mistake.
    let in_unit = |t: f64| (-1e-9..=1.0 + 1e-9).contains(&t).then(|| t.clamp(0.0, 1.0));
    let floor = in_unit(floor / DEEPEST_FLOOR).ok_or(wanted)?;
    let over = over.map(|beta| in_unit((beta / low).ln() / (high / low).ln()).ok_or(wanted)).transpose()?;
    Ok(over.into_iter().chain([floor]).collect())
}

impl Renderer for Suppressor {
    fn fits(&self, alternative: &Alternative) -> Result<(), String> {
        match alternative {
            Alternative::Setting(setting) => coordinates(setting).map(|_| ()),
            Alternative::Item(_) => Err("the suppressor has settings of parameters, not items".to_owned()),
        }
    }

    fn kind(&self) -> Option<MediaKind> {
        Some(MediaKind::Audio)
    }

    fn render(&self, alternative: &Alternative) -> Result<Media, RenderError> {
        let Alternative::Setting(setting) = alternative else {
            return Err(RenderError::Failed(
                "the suppressor has settings of parameters, not items".to_owned(),
            ));
        };
        let theta = coordinates(setting).map_err(RenderError::Failed)?;
        let wav = self.demo.render(&theta).map_err(|e| RenderError::Failed(e.to_string()))?;
        Ok(Media { format: Format::Wav, bytes: wav.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather_study::Value;

    fn setting(values: &[(&str, f64)]) -> Setting {
        Setting { values: values.iter().map(|(name, x)| ((*name).to_owned(), Value::Float(*x))).collect() }
    }

    #[test]
    fn settings_have_their_place_whatever_their_order() {
        assert_eq!(coordinates(&setting(&[("floor", -10.0)])), Ok(vec![0.25]));
        let both = coordinates(&setting(&[("floor", -40.0), ("over-subtraction", 50.0)])).unwrap();
        assert_eq!(both, coordinates(&setting(&[("over-subtraction", 50.0), ("floor", -40.0)])).unwrap());
        assert!((both[0] - 1.0).abs() < 1e-12 && both[1] == 1.0);
        for wrong in [
            &[("floor", 1.0)][..],
            &[("over-subtraction", 1.0)],
            &[("floor", -1.0), ("gain", 1.0)],
            &[("floor", f64::NAN)],
        ] {
            assert!(coordinates(&setting(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn every_point_of_the_spaces_can_be_heard() {
        let suppressor = Suppressor::built_in();
        for space in [space(false), space(true)] {
            for u in [0.0, 0.5, 1.0] {
                let setting = space.setting(&vec![u; space.parameters.len()]);
                let media = suppressor.render(&Alternative::Setting(setting)).unwrap();
                assert_eq!(Format::of(&media.bytes), Some(Format::Wav));
            }
        }
        assert!(suppressor.fits(&Alternative::Item("x".into())).is_err());
    }
}
