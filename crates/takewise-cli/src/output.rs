//! What becomes of a result: shown, printed as a table or as JSON, or written to a file.

use std::io::Write;
use std::path::Path;

use takewise_dialects::{NUMPY, Value, object};
use takewise_files::{self as files, Destination, Format};

use crate::args::{Form, Output};
use crate::{json, tables};

/// What was asked for, with nothing left to be wrong about the file.
pub(crate) enum Target {
    /// As the library prints it.
    Shown,
    /// Text of a form, on standard output.
    Printed(Form),
    /// A file of a form; `None` is told by its destination.
    File(Destination, Option<Form>),
}

impl Target {
    /// Reads the options.
    ///
    /// # Errors
    /// A format that needs a file, a file that cannot be written.
    pub(crate) fn of(asked: Output) -> Result<Self, String> {
        let form = asked.format.or(asked.json.then_some(Form::Json));
        let Some(path) = asked.output else {
            return match form {
                None => Ok(Self::Shown),
                Some(form) if is_text(form) => Ok(Self::Printed(form)),
                Some(_) => Err("this format is not text: give a file with -o, or `-o -` for a pipe".into()),
            };
        };
        let form = form.or_else(|| Form::of_extension(&path));
        let format = match form {
            Some(form) if is_text(form) && path == Path::new("-") => return Ok(Self::Printed(form)),
            None => return Destination::new(path).map(|to| Self::File(to, None)).map_err(|e| e.to_string()),
            Some(Form::Npy) => Format::Npy,
            Some(Form::Npz) => Format::Npz,
            Some(Form::Safetensors) => Format::SafeTensors,
            Some(Form::Raw | Form::Csv | Form::Tsv | Form::Json) => Format::Raw,
        };
        Destination::of(path, format).map(|to| Self::File(to, form.filter(|f| is_text(*f)))).map_err(|e| e.to_string())
    }

    /// Whether standard output belongs to the result, so that what the code prints goes elsewhere.
    pub(crate) fn takes_output(&self) -> bool {
        match self {
            Self::Shown => false,
            Self::Printed(_) => true,
            Self::File(to, _) => to.path() == Path::new("-"),
        }
    }

    /// Writes a value to the file, or gives the text to print.
    ///
    /// # Errors
    /// A value that the form has no place for; a file that cannot be written. Nothing is written then.
    pub(crate) fn put(&self, value: &Value) -> Result<Option<String>, String> {
        match self {
            Self::Shown => Ok(None),
            Self::Printed(form) => text(*form, value).map(Some),
            Self::File(to, Some(form)) => {
                let text = text(*form, value)?;
                let entries = entries(value).unwrap_or_default();
                let write = |mut file: &std::fs::File| file.write_all(text.as_bytes()).map_err(|e| e.to_string());
                files::save_as(to, &entries, write).map(|()| None).map_err(|e| e.to_string())
            }
            Self::File(to, None) => {
                let unfit = || format!("a {} cannot be written to a tensor file", value.type_name());
                let entries = entries(value).ok_or_else(unfit)?;
                files::save(to, &entries).map(|()| None).map_err(|e| e.to_string())
            }
        }
    }
}

fn is_text(form: Form) -> bool {
    matches!(form, Form::Csv | Form::Tsv | Form::Json)
}

fn text(form: Form, value: &Value) -> Result<String, String> {
    let mark = match form {
        Form::Tsv => b'\t',
        Form::Csv => b',',
        _ => return json::json(value).map_err(|e| e.to_string()),
    };
    let mut entries = entries(value).ok_or_else(|| format!("a {} is no table", value.type_name()))?;
    if let Value::Record(record, _) = value {
        entries.iter_mut().zip(record.fields).for_each(|((name, _), field)| *name = (*field).to_owned());
    }
    let mut out = Vec::new();
    tables::write(&mut out, &entries, mark)?;
    String::from_utf8(out).map_err(|e| e.to_string())
}

/// The tensors to write for a value: one, or those of a tuple or list.
fn entries(value: &Value) -> Option<Vec<files::Entry>> {
    match value {
        Value::Array(array) => Some(vec![(String::new(), array.tensor())]),
        Value::Tuple(_) | Value::Record(..) | Value::List(_) => {
            let items = value.items()?;
            items.iter().map(|v| Some((String::new(), v.array()?.tensor()))).collect()
        }
        number => Some(vec![(String::new(), object::to_tensor(number, &NUMPY).ok()?)]),
    }
}
