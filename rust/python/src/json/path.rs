//! Where in a value something is.

use std::fmt;

/// Characters of a path that are shown; a cyclic value has a path as long as the depth limit.
const MAX_SHOWN: usize = 120;

/// One step from a container to its member.
#[derive(Debug)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// Steps from the root, collected from the inside out while an error travels up.
#[derive(Debug, Default)]
pub(crate) struct Path(Vec<Step>);

impl Path {
    pub(crate) fn push_outer(&mut self, step: Step) {
        self.0.push(step);
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.0.iter().rev().map(Step::to_string).collect();
        match text.char_indices().nth(MAX_SHOWN) {
            None => write!(formatter, "${text}"),
            Some((end, _)) => write!(formatter, "${}…", text.get(..end).unwrap_or_default()),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(formatter, "[{index}]"),
            Self::Key(key) if is_plain(key) => write!(formatter, ".{key}"),
            Self::Key(key) => write!(formatter, "[{key:?}]"),
        }
    }
}

fn is_plain(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|other| other.is_ascii_alphanumeric() || other == '_')
}
