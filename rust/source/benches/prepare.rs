//! Cost of preparing a cell of about one kilobyte.

use criterion::{Criterion, criterion_group, criterion_main};
use toolcell_protocol::Language;
use toolcell_source::{Options, prepare};

const JAVASCRIPT: &str = include_str!("cells/join.js");
const TYPESCRIPT: &str = include_str!("cells/join.ts");

fn bench(criterion: &mut Criterion) {
    for (name, source, language) in [
        ("javascript_1kb", JAVASCRIPT, Language::JavaScript),
        ("typescript_1kb", TYPESCRIPT, Language::TypeScript),
    ] {
        let options = Options { language, typescript_enabled: true, shell_tool: None };
        criterion.bench_function(name, |bencher| bencher.iter(|| prepare(source, &options)));
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
