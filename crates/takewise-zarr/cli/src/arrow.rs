//! Tables in Parquet and Arrow files, as operands and results.

use std::fs::File;
use std::path::Path;

use takewise::Tensor;
use takewise_arrow::Format;
use takewise_cli::opener::{Table, Tables};

/// Such files, told apart by their content.
pub(crate) struct Arrow;

/// A table of which columns are read.
struct Opened(takewise_arrow::Table);

impl Tables for Arrow {
    fn open(&self, path: &Path) -> Result<Box<dyn Table>, String> {
        let table = takewise_arrow::Table::open(path).map_err(|e| e.to_string())?;
        Ok(Box::new(Opened(table)))
    }

    fn write(&self, file: &File, form: Format, columns: &[(String, Tensor)], rows: usize) -> Result<(), String> {
        let columns: Vec<(&str, &Tensor)> = columns.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        takewise_arrow::write(file, form, &columns, rows).map_err(|e| e.to_string())
    }
}

impl Table for Opened {
    fn about(&self) -> String {
        self.0.format().name().into()
    }

    fn names(&self) -> Vec<&str> {
        self.0.columns().iter().map(takewise_arrow::Column::name).collect()
    }

    fn types(&self) -> Vec<&str> {
        self.0.columns().iter().map(takewise_arrow::Column::type_name).collect()
    }

    fn rows(&self) -> usize {
        self.0.rows()
    }

    fn tensor(&self, chosen: Option<&[usize]>) -> Result<Tensor, String> {
        let all: Vec<usize> = (0..self.0.columns().len()).collect();
        let unfit = || self.0.columns().iter().any(|column| !column.is_array());
        let others = if chosen.is_none() && unfit() { "; choose columns of numbers with '#name'" } else { "" };
        self.0.tensor(chosen.unwrap_or(&all)).map_err(|e| format!("{e}{others}"))
    }
}
