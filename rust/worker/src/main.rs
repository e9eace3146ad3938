//! `toolcell-worker <host process id> <build>`: started by a host, with a socket as descriptor 0.

// Without std's own start: it would handle SIGSEGV and poll descriptors that a worker does not have.
#![no_main]

use std::ffi::{c_char, c_int};

use toolcell_engine::{Engine, Hooks};
use toolcell_protocol::FromWorker;
use toolcell_worker::{Arguments, EXIT_BROKEN, EXIT_DONE, EXIT_UNREADY, EXIT_USAGE, Inbox, StartError};

// SAFETY: the name is the one that the C runtime calls, with this signature; nothing else defines it.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _line: *const *const c_char) -> c_int {
    let arguments = match Arguments::parse(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("toolcell-worker is started by toolcell, not by hand: {error}");
            return EXIT_USAGE;
        }
    };
    let Err(error) = start(&arguments);
    toolcell_worker::send(&FromWorker::Unready { reason: error.to_string() });
    EXIT_UNREADY
}

fn start(arguments: &Arguments) -> Result<std::convert::Infallible, StartError> {
    let may_stay_awake = toolcell_worker::processors() > 1;
    toolcell_worker::isolate(arguments)?;
    toolcell_engine::on_engine_stack(|| {
        let hooks = Hooks { send: toolcell_worker::send, end: toolcell_worker::end };
        let mut engine = Engine::boot(hooks, arguments.build)?;
        toolcell_worker::seal()?;
        toolcell_worker::send(&FromWorker::Ready(engine.ready()));
        serve(&mut engine, may_stay_awake)
    })
}

fn serve(engine: &mut Engine, may_stay_awake: bool) -> ! {
    let mut inbox = Inbox::new(rustix::stdio::stdin(), may_stay_awake);
    loop {
        match inbox.receive() {
            Ok(Some(message)) => engine.handle(message),
            Ok(None) => toolcell_worker::exit(EXIT_DONE),
            Err(_) => toolcell_worker::exit(EXIT_BROKEN),
        }
    }
}
