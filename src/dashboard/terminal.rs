//! placeholder
use super::*;
pub fn run(_options: Options, _model: Model) -> Result<Ending, DashboardError> {
    Ok(Ending::Quit)
}
