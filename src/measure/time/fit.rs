//! Fits: how a time grows with the number of processes.
//!
//! Invariant: a fit needs two different numbers of processes.

/// A power law, y = factor * x^exponent.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct PowerFit {
    /// Its factor.
    pub factor: f64,
    /// Its exponent.
    pub exponent: f64,
}

impl PowerFit {
    /// The least-squares line of log y over log x; both are positive.
    pub fn of(points: &[(f64, f64)]) -> Option<PowerFit> {
        let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
        let count = logs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|(x, _)| *x), mean(|(_, y)| *y));
        let scatter: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
        let common: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
        let exponent = common / scatter;
        (scatter > 0.0).then(|| PowerFit { factor: (y - exponent * x).exp(), exponent })
    }

    /// Its value.
    pub fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_and_one_point_has_none() {
        let fit = PowerFit::of(&[(2.0, 12.0), (4.0, 48.0), (10.0, 300.0)]).unwrap();
        assert!((fit.factor - 3.0).abs() < 1e-9 && (fit.exponent - 2.0).abs() < 1e-9, "{fit:?}");
        assert!((fit.at(5.0) - 75.0).abs() < 1e-6);
        assert_eq!(PowerFit::of(&[(3.0, 1.0), (3.0, 2.0)]), None);
    }
}
