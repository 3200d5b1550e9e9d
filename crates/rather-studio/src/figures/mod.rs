//! Figures of a study, for light pages and dark ones.
//!
//! [`of_study::views`] says which there are, [`of_study::drawing`] takes their data from what was learned, and
//! [`Drawing::svg`] draws them.

pub mod axis;
pub mod numbers;
pub mod of_study;
pub mod picture;
mod section;

use rather_plot::{Acquisition, ChoiceMap, Error, Look, Map, Ranking, Utility};

/// A figure's data.
#[derive(Debug, Clone, PartialEq)]
pub enum Drawing {
    /// The preference function along one parameter.
    Utility(Utility),
    /// What to ask about one parameter.
    Acquisition(Acquisition),
    /// Which value of one parameter is preferred to which.
    Choices(ChoiceMap),
    /// The preference function over two parameters.
    Map(Map),
    /// Items with intervals.
    Ranking(Ranking),
}

/// The colours of the page around a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Dark on light.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

/// Colours of lines and letters on light paper, and on dark.
const COLORS: [(&str, &str); 7] = [
    ("#ffffff", "#1f2125"),
    ("#222222", "#ecebe6"),
    ("#555555", "#aeaba2"),
    ("#787878", "#8b8e96"),
    ("#e4e4e4", "#36383e"),
    ("#0072b2", "#5fb3ee"),
    ("#d55e00", "#f5a878"),
];

impl Drawing {
    /// The figure as SVG, without a title of its own.
    ///
    /// # Errors
    /// If the data are not those of a figure.
    pub fn svg(&self, width: Option<f64>, theme: Theme) -> Result<String, Error> {
        let look = Look { width, height: None, title: Some(String::new()) };
        let svg = match self {
            Self::Utility(figure) => figure.draw(&look),
            Self::Acquisition(figure) => figure.draw(&look),
            Self::Choices(figure) => figure.draw(&look),
            Self::Map(figure) => figure.draw(&look),
            Self::Ranking(figure) => figure.draw(&look),
        }?
        .into_svg();
        Ok(match theme {
            Theme::Light => svg,
            Theme::Dark => dark(&svg, matches!(self, Self::Choices(_) | Self::Map(_))),
        })
    }
}

/// The same drawing on dark paper. On a `field` of colours, marks, lines and labels are chosen to be seen on these
/// colours, and stay as they are.
fn dark(svg: &str, field: bool) -> String {
    let mut out = String::with_capacity(svg.len());
    for (number, line) in svg.split_inclusive('\n').enumerate() {
        let on_paper = number < 4 || line.starts_with("<text") && !line.contains(" stroke=");
        if field && !on_paper {
            out.push_str(line);
            continue;
        }
        // Only attributes of the element: its text may hold what looks like a colour.
        let end = line.find('>').unwrap_or(line.len());
        let mut tag = line[..end].to_owned();
        for (light, dark) in COLORS {
            tag = tag.replace(&format!("\"{light}\""), &format!("\"{dark}\""));
        }
        out.push_str(&tag);
        out.push_str(&line[end..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rather_plot::{Along, Duel};

    fn utility() -> Drawing {
        Drawing::Utility(Utility {
            feature: "\"#ffffff\" (dB)".into(),
            utility: "utility".into(),
            along: Along::Numbers(vec![0.0, 1.0, 2.0]),
            mean: vec![0.0, 1.0, 0.5],
            sd: vec![0.3, 0.1, 0.2],
            duels: vec![Duel { winner: 1.0, loser: 0.0, count: 1.0 }],
            held: String::new(),
        })
    }

    #[test]
    fn dark_figures_have_no_colour_of_light_paper() {
        let light = utility().svg(Some(400.0), Theme::Light).unwrap();
        let dark = utility().svg(Some(400.0), Theme::Dark).unwrap();
        for (from, to) in COLORS {
            assert_eq!(
                light.matches(&format!("=\"{from}\"")).count(),
                dark.matches(&format!("=\"{to}\"")).count()
            );
            assert!(!dark.contains(&format!("=\"{from}\"")), "{from}");
        }
        assert!(dark.contains("&quot;#ffffff&quot;"), "text stays");
    }

    #[test]
    fn marks_on_a_field_of_colours_stay() {
        let choices = Drawing::Choices(ChoiceMap {
            feature: "floor".into(),
            values: vec![0.0, 1.0],
            probabilities: vec![0.5, 0.2, 0.8, 0.5],
            duels: vec![Duel { winner: 1.0, loser: 0.0, count: 1.0 }],
            held: String::new(),
        });
        let dark = choices.svg(None, Theme::Dark).unwrap();
        assert!(dark.contains("fill=\"#1f2125\"") && dark.contains("fill=\"#222222\""));
    }
}
