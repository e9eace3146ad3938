//! Any text as a cell: it is prepared or refused, and what is refused has a place inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolcell_protocol::Language;
use toolcell_source::{Complaint, Options, ToolOrigin, advise, code_frame, prepare, words_at};

fuzz_target!(|input: (bool, bool, &str)| {
    let (typescript, enabled, text) = input;
    let language = if typescript { Language::TypeScript } else { Language::JavaScript };
    let options = Options { language, typescript_enabled: enabled, shell_tool: Some("shell") };
    match prepare(text, &options) {
        Ok(prepared) => {
            // Whatever was inserted, lines stay: the engine's places are mapped by line.
            for (index, line) in prepared.body.lines().enumerate().take(50) {
                let place = prepared.positions.locate(index as u32 + 1, line.len() as u32);
                if let Some(place) = place {
                    let _ = words_at(text, place, Complaint::NotAFunction);
                }
            }
            for advice in advise(text, &|_| Some(ToolOrigin::Host)) {
                assert!(*advice.lines.end() as usize <= text.split(['\n', '\r']).count());
            }
        }
        Err(fault) => {
            if let Some(location) = fault.location {
                let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}']).count();
                assert!(location.line as usize <= lines + 1);
                assert!(code_frame(text, location).lines().count() <= 6);
            }
        }
    }
});
