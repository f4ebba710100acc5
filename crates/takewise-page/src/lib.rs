//! The engine behind the page `docs/explain`: a request as JSON in, an answer as JSON out.
//!
//! [`answer`] is all there is. The crate in `wasm/` puts three C functions round it for a browser; tests call it natively, and
//! so check that both give the same.
//!
//! ```
//! let request = r#"{"want": "explanation", "expression": "x[[2, 0]]", "dialect": "torch",
//!     "names": [{"name": "x", "dtype": "int64", "shape": [3], "values": ["10", "20", "30"]}]}"#;
//! let answer: serde_json::Value = serde_json::from_str(&takewise_page::answer(request)).unwrap();
//! assert_eq!(answer["printed"], "tensor([30, 10])");
//! ```

mod explain;
mod given;
mod judge;
mod request;

use request::{Request, Want};
use serde_json::{Value as Json, json};

pub use request::{Given, MOST, Puzzle};

/// Answers one request.
///
/// What cannot be answered is an object with one field, `error`: the class of the exception, its message, and where it is known
/// the place in the expression (`span`, in UTF-16 units, and `caret`, a line of text) or the operand and its element.
/// Nothing panics on what a request holds.
pub fn answer(request: &str) -> String {
    let answered = match serde_json::from_str::<Request>(request) {
        Ok(request) => dispatch(&request),
        Err(error) => Err(Trouble::new("ValueError", format!("the request is not understood: {error}"))),
    };
    let json = answered.unwrap_or_else(|trouble| json!({ "error": trouble.0 }));
    json.to_string()
}

fn dispatch(request: &Request) -> Result<Json, Trouble> {
    match request.want {
        Want::Explanation => explain::one(request),
        Want::Comparison => explain::libraries(request),
        Want::Rules => explain::rules(request),
        Want::Svg => explain::svg(request),
        Want::Judge => judge::judge(request),
        Want::Target => judge::target(request),
    }
}

/// Why there is no answer, as JSON.
pub(crate) struct Trouble(pub(crate) Json);

impl Trouble {
    pub(crate) fn new(class: &str, message: impl Into<String>) -> Self {
        Trouble(json!({ "class": class, "message": message.into() }))
    }

    /// An error of the notation, with the place in the expression.
    pub(crate) fn of(error: &takewise_dialects::EvalError, source: &str) -> Self {
        let mut trouble = Trouble::new(error.class(), error.text());
        if let Some(span) = error.span() {
            trouble.0["span"] = json!(request::units(source, span.clone()));
            trouble.0["caret"] = json!(takewise_dialects::caret(source, span));
        }
        trouble
    }
}
