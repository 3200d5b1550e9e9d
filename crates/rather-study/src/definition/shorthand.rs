//! Parameters in one line: `gain=float(0, 20)`, `rate=float(0.1, 10, log)`, `taps=integer(1, 8)`, `mode=categorical(a, b)`.

use crate::space::{Parameter, Range, Scale};
use rather_io::quote;

const FORMS: &str = "write NAME=float(LOW,HIGH), NAME=float(LOW,HIGH,log), NAME=float(LOW,HIGH,step=S), \
                     NAME=integer(LOW,HIGH) or NAME=categorical(A,B,...)";

/// Reads a parameter written in one line.
///
/// # Errors
/// The sentence that says what is wrong with it.
///
/// # Examples
/// ```
/// use rather_study::definition::parse_parameter;
///
/// let gain = parse_parameter("gain = float(0, 20, step=0.5)").unwrap();
/// assert_eq!(gain.name, "gain");
/// assert!(parse_parameter("gain = float(20, 0)").unwrap_err().contains("must be less than"));
/// ```
pub fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let wrong = || format!("{} is no parameter; {FORMS}", quote(text));
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let (kind, arguments) =
        rest.trim().strip_suffix(')').and_then(|r| r.split_once('(')).ok_or_else(wrong)?;
    let arguments: Vec<&str> = arguments.split(',').map(str::trim).collect();
    let range = match (kind.trim(), arguments.as_slice()) {
        ("float", [low, high, more @ ..]) => float(low, high, more).ok_or_else(wrong)?,
        ("integer", [low, high]) => Range::Integer {
            low: low.parse().map_err(|_| wrong())?,
            high: high.parse().map_err(|_| wrong())?,
        },
        ("categorical", choices) => {
            Range::Categorical { choices: choices.iter().map(|&choice| choice.to_owned()).collect() }
        }
        _ => return Err(wrong()),
    };
    let name = name.trim().to_owned();
    range.check().map_err(|fault| format!("the parameter {}: {}", quote(&name), fault.problem))?;
    Ok(Parameter { name, range })
}

fn float(low: &str, high: &str, more: &[&str]) -> Option<Range> {
    let (mut scale, mut step) = (Scale::Linear, None);
    for option in more {
        match option
            .split_once('=')
            .map_or((*option, None), |(name, value)| (name.trim(), Some(value.trim())))
        {
            ("log", None) | ("scale", Some("log")) => scale = Scale::Log,
            ("linear", None) | ("scale", Some("linear")) => scale = Scale::Linear,
            ("step", Some(value)) => step = Some(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(Range::Float { low: low.parse().ok()?, high: high.parse().ok()?, scale, step })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_one_line() {
        let range = |text| parse_parameter(text).map(|p| p.range);
        let float = |low, high, scale, step| Ok(Range::Float { low, high, scale, step });
        assert_eq!(range("g=float(0,20)"), float(0.0, 20.0, Scale::Linear, None));
        assert_eq!(range("g = float( 0.1 , 10 , log )"), float(0.1, 10.0, Scale::Log, None));
        assert_eq!(range("g=float(0,1,step=0.25)"), float(0.0, 1.0, Scale::Linear, Some(0.25)));
        assert_eq!(range("n=integer(-3,8)"), Ok(Range::Integer { low: -3, high: 8 }));
        let choices = vec!["soft".into(), "hard knee".into()];
        assert_eq!(range("mode=categorical(soft, hard knee)"), Ok(Range::Categorical { choices }));
        for text in [
            "g",
            "g=float",
            "g=float(1)",
            "g=float(0,x)",
            "g=integer(0,1.5)",
            "g=bool(0,1)",
            "g=float(0,1,fast)",
        ] {
            assert!(range(text).unwrap_err().ends_with(FORMS), "{text}");
        }
        assert_eq!(
            range("g=float(0,10,log)").unwrap_err(),
            "the parameter \"g\": low = 0 must be greater than 0 on a log scale; raise it or take scale = \"linear\""
        );
    }
}
