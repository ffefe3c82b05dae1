//! `hustings measure detectors`: the failure detectors of Stoller 1997, on the same traffic and under the same loss.
//!
//! Invariant: a number that is out of range is refused with what would do.

use super::super::code;
use super::super::parts::SurveyQuestion;
use super::super::registry_in_use;
use super::super::tell::remark;
use super::surveying::Surveying;
use fault::Percent;
use measure::detectors::DetectorsSurvey;
use sim::campaign::Seeds;

/// With more than this lost, hardly any election comes to its end.
const P_MAX: Percent = Percent::whole(50);

/// What `measure detectors` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The chances that a message is lost
    #[arg(long, value_name = "P,...", value_delimiter = ',', default_value = "0%,1%,5%,10%,20%", value_parser = parse_p)]
    p: Vec<Percent>,
    /// The number of nodes
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(3..=32))]
    nodes: u16,
    /// The seeds: one trial of each point for each
    #[arg(long, value_name = "A..B", default_value = "0..100")]
    seeds: Seeds,
    #[command(flatten)]
    surveying: Surveying,
}

/// Measures the detectors.
pub fn main(arguments: &Arguments) -> u8 {
    let Arguments { p, nodes, seeds, surveying } = arguments;
    let question = SurveyQuestion::Detectors { p: p.clone(), nodes: *nodes };
    match asked(question.clone()) {
        Ok(survey) => surveying.show(question, &survey, *seeds),
        Err(code) => code,
    }
}

/// The survey of this question.
///
/// # Errors
/// The algorithm takes no such lab; stderr has the reason.
pub fn asked(asked: SurveyQuestion) -> Result<DetectorsSurvey, u8> {
    let SurveyQuestion::Detectors { p, nodes } = asked else { unreachable!("another measurement's question") };
    DetectorsSurvey::new(registry_in_use(), &p, nodes).map_err(|errors| {
        remark(errors);
        code::LAB_INVALID
    })
}

fn parse_p(text: &str) -> Result<Percent, String> {
    let p: Percent = text.trim().parse().map_err(|error: fault::PercentTextError| error.to_string())?;
    if p > P_MAX {
        return Err(format!("with more than {P_MAX} lost hardly any election ends; write a number from 0% to {P_MAX}"));
    }
    Ok(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_of_loss_is_a_percentage_of_50_at_most() {
        assert_eq!(parse_p("5%").unwrap(), Percent::whole(5));
        assert!(parse_p("51%").unwrap_err().ends_with("write a number from 0% to 50%"));
    }
}
