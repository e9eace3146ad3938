//! Looking into Python containers without a panic, whatever the objects do meanwhile.

use pyo3::{ffi, prelude::*, types::PyDict};

/// The entries of a dict in order. Ends early, with [`Entries::was_resized`], if the dict changes its size.
///
/// `PyO3`'s own iterator panics in that case, and code of the embedding program can run between two entries.
pub(crate) struct Entries<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    length: usize,
    position: ffi::Py_ssize_t,
}

impl<'a, 'py> Entries<'a, 'py> {
    pub(crate) fn of(dict: &'a Bound<'py, PyDict>) -> Self {
        Self { dict, length: dict.len(), position: 0 }
    }

    pub(crate) fn was_resized(&self) -> bool {
        self.dict.len() != self.length
    }
}

impl<'py> Iterator for Entries<'_, 'py> {
    type Item = (Bound<'py, PyAny>, Bound<'py, PyAny>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.was_resized() {
            return None;
        }
        let mut key = std::ptr::null_mut();
        let mut value = std::ptr::null_mut();
        // SAFETY: the GIL is held as `dict` is bound. `PyDict_Next` checks the position against the dict as it
        // is now, and hands out borrowed references, which are made owned before anything else can run.
        unsafe {
            if ffi::PyDict_Next(self.dict.as_ptr(), &raw mut self.position, &raw mut key, &raw mut value) == 0
            {
                return None;
            }
            let py = self.dict.py();
            Some((Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, value)))
        }
    }
}
