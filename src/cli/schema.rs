//! `hustings schema`: the shape of a lab file, or of the config file, as a JSON schema, for editors.

use std::io::Write;

use super::output::{VisibleLines, remark, say_all};
use super::registry_in_use;
use super::{code, config};

/// What `schema` takes.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print the shape of the config file instead
    #[arg(long)]
    config: bool,
}

/// Prints the schema.
pub fn main(arguments: &Arguments) -> u8 {
    let schema = if arguments.config { config::schema() } else { lab::schema(registry_in_use()) };
    let said = say_all(|out| {
        let mut out = VisibleLines::over(out);
        serde_json::to_writer_pretty(&mut out, &schema)?;
        writeln!(out)?;
        out.finish()
    });
    match said {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            remark(format!("cannot write to standard output: {error}"));
            code::of_io(&error)
        }
        _ => code::MET,
    }
}

#[cfg(test)]
mod tests {
    use boon::{Compiler, Schemas};
    use serde_json::Value;

    use registry::BUILT_IN;

    use crate::cli::built_in::LABS;

    /// Whether the schema takes this file.
    struct Shape {
        schemas: Schemas,
        index: boon::SchemaIndex,
    }

    impl Shape {
        fn new() -> Shape {
            let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
            compiler.add_resource("lab.json", lab::schema(BUILT_IN)).unwrap();
            let index = compiler.compile("lab.json", &mut schemas).unwrap();
            Shape { schemas, index }
        }

        fn takes(&self, file: &str) -> bool {
            let table: toml::Table = file.parse().unwrap();
            let value: Value = serde_json::to_value(table).unwrap();
            self.schemas.validate(&value, self.index).is_ok()
        }
    }

    fn is_parsed(file: &str) -> bool {
        lab::parse("lab", file, BUILT_IN).is_ok()
    }

    #[test]
    fn every_lab_of_the_house_has_the_shape() {
        let shape = Shape::new();
        for built_in in LABS {
            assert!(shape.takes(built_in.text), "{}", built_in.name);
        }
    }

    #[test]
    fn what_the_parser_refuses_by_its_shape_the_schema_refuses() {
        let first = LABS.iter().find(|lab| lab.name == "first").unwrap().text;
        let shape = Shape::new();
        let bad: &[(&str, &str)] = &[
            ("name = \"first\"", "nmae = \"first\""),
            ("name = \"first\"", ""),
            ("name = \"first\"", "name = 5"),
            ("algorithm = \"bully\"", "algorithm = \"buly\""),
            ("nodes = 5", "nodes = \"5\""),
            ("nodes = 5", "nodes = 0"),
            ("nodes = 5", "nodes = 100000"),
            ("seed = 1", "seed = -1"),
            ("T = \"200ms\"", "T = 200"),
            ("T = \"200ms\"", "T = \"200 parsecs\""),
            ("form = \"parallel\"", "form = \"sideways\""),
            ("form = \"parallel\"", "criterion = \"id\""),
            ("form = \"parallel\"", "errata = [\"B99\"]"),
            ("that = \"coordinator 5\"", "this = \"coordinator 5\""),
            ("within = \"25T\"", "within = \"soon\""),
            ("at = \"2s\"", ""),
            ("at = \"2s\"", "at = \"2s\"\nwhen = \"all normal\""),
            ("do = [\"crash coordinator\"]", ""),
            ("do = [\"crash coordinator\"]", "do = \"crash coordinator\""),
            ("[settings]", "[application]\nname = \"shardz\"\n[settings]"),
            ("[settings]", "[application]\nname = \"shards\"\nshads = 3\n[settings]"),
        ];
        assert!(is_parsed(first) && shape.takes(first));
        for (from, to) in bad {
            let file = first.replacen(from, to, 1);
            assert!(file != first && !is_parsed(&file), "{to} is parsed in place of {from}");
            assert!(!shape.takes(&file), "{to} in place of {from}");
        }
    }

    #[test]
    fn what_is_wrong_only_by_its_meaning_has_the_shape() {
        let first = LABS.iter().find(|lab| lab.name == "first").unwrap().text;
        let file = first.replacen("coordinator 5", "coordinator 9", 1);
        assert!(!is_parsed(&file) && Shape::new().takes(&file));
    }
}
