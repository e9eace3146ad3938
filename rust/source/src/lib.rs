//! From the text that a model sent to the body of a strict async function.
//!
//! [`prepare`] is a pure function: no I/O, no threads, no state, and no panic on any text. It unwraps what models put
//! around their code, parses the cell alone (so nothing in it can break out of the function that the engine
//! puts around it), refuses what a cell may not do, erases TypeScript in place and turns the completion value
//! into a `return`. Whatever it changes, lines stay, and [`Positions`] maps columns back.
//!
//! For a cell that failed, [`advise`] and [`words_at`] read it once more and find what may explain the failure.
//!
//! ```
//! use toolcell_protocol::{Language, Location};
//! use toolcell_source::{Options, prepare};
//!
//! let options = Options { language: Language::TypeScript, typescript_enabled: true, shell_tool: None };
//! let cell = prepare("const n: number = 2;\nn + fail()", &options)?;
//!
//! assert_eq!(cell.body, "const n         = 2;\nreturn n + fail()");
//! assert_eq!(cell.positions.locate(2, 12), Some(Location { line: 2, column: Some(5) }));
//! # Ok::<(), toolcell_source::Fault>(())
//! ```

mod advice;
mod cell_text;
mod completion;
mod edits;
mod fault;
mod fence;
mod frame;
mod lines;
mod module_access;
mod naming;
mod nesting;
mod parse;
mod positions;
mod prepare;
mod python_text;
mod reading;
mod refusal;
mod shell;
mod survey;
mod syntax_hint;
mod trivia;
mod typescript;

pub use advice::{Advice, AdviceKind, ToolOrigin, advise};
pub use fault::{Fault, FaultKind};
pub use frame::code_frame;
pub use naming::{Complaint, words_at};
pub use positions::Positions;
pub use prepare::{Options, Prepared, prepare};
