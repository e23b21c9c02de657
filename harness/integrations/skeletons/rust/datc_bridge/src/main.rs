//! Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
//!
//! datc-check starts this program as `datc.toml` says. Fill in `initialize` and `adjudicate` where
//! it says TODO; the rest can stay. `datc-check schema protocol` prints the schema of all messages.
//!
//! Standard output belongs to the protocol: what your engine prints goes to standard error, on
//! Windows only with `eprintln!`.

use std::io::{self, BufRead, Write};
use std::panic;

use serde_json::{json, Value};

/// Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that.
struct RpcError(i64, String);

/// Say who answers, and what it can do.
fn initialize(_params: &Value) -> Result<Value, RpcError> {
    // What your engine loads when it is first used is best loaded here, for example by playing a
    // phase: the time limit of this answer is that of the start, longer than that of the others.
    Ok(json!({
        "protocol": 1,
        "engine": {"name": "my-engine", "version": "0.1.0", "url": ""}, // TODO: name your engine
        "capabilities": {
            "phases": ["movement"], // TODO: add "retreat" and "adjustment" when you answer them
            "maps": ["standard"],
            "orders": ["structured"], // add "text" if your engine reads the orders itself
        },
    }))
}

/// Play one phase. Each request has its own position: keep nothing from one to the next.
fn adjudicate(params: &Value) -> Result<Value, RpcError> {
    let phase = params["phase"].as_str().unwrap_or_default();
    // What is asked:
    //   params["phase"]      "movement", "retreat" or "adjustment"
    //   params["map"]        the map, such as "standard": only those that "maps" lists are asked
    //   params["season"]     "spring", "autumn" or "winter"; params["year"] is a number, such as 1901
    //   params["units"]      the units on the board, those without an order, too; each of
    //                        `params["units"].as_array()` is such as
    //                          {"power": "FRANCE", "type": "A", "location": "PAR"}
    //                          {"power": "RUSSIA", "type": "F", "location": "STP/SC"}
    //   params["orders"]     the orders, each as text and in parts; "order" is missing where only
    //                        "text" can tell:
    //                          {"power": "FRANCE", "text": "A Paris - Burgundy", "order": {
    //                           "type": "move", "unit": {"type": "A", "location": "PAR"},
    //                           "to": "BUR", "via_convoy": false}}
    //                        An order may be impossible, and "type" may be missing in its unit: it
    //                        stays as written.
    //                          hold     unit
    //                          move     unit, to, via_convoy, and path where it names the seas of its convoy
    //                          support  unit, supported (a unit), and to: missing where a hold is
    //                                   supported
    //                          convoy   unit, convoyed (a unit), to
    //   params["ruleset"]    the rules in force: {"choices": {"4.A.1": "all-routes", ...}, ...}
    //   In a retreat phase:
    //   params["dislodged"]  the units that must retreat, not in params["units"]; as you answered
    //                        them
    //   params["state"]      as you answered it
    //   params["orders"]       retreat  unit, to
    //                          disband  unit
    //   In an adjustment phase:
    //   params["centers"]    who owns what: {"FRANCE": ["BRE", "MAR", "PAR"], ...}
    //   params["orders"]       build    unit
    //                          remove   unit
    //                          waive
    //
    // What to answer:
    //   "units"      the units after the phase, as in params["units"], but for those in "dislodged"
    //   "dislodged"  after a movement phase, the units that were dislodged; "from" is where the
    //                attacker came from:
    //                  {"power": "FRANCE", "type": "A", "location": "BUR", "from": "MUN",
    //                   "retreats": ["GAS", "PIC"]}
    //   "orders"     may be left out: what became of each of params["orders"], in the same order;
    //                null if unknown:
    //                  {"outcome": "succeeds"} or {"outcome": "fails", "reason": "bounced"}
    //   "state"      may be left out: what you need again in the retreat phase, such as where units
    //                bounced
    //
    // TODO: ask your engine, and answer what it says. If all units held, whatever they were
    // ordered, that would be:
    // return Ok(json!({"units": params["units"], "dislodged": []}));
    Err(RpcError(-32004, format!("no {phase} phase yet")))
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// Answer a line, whatever it is; a panic of the engine is an error, too.
fn respond(line: &[u8]) -> Value {
    let request: Value = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(reason) => return error(&Value::Null, -32700, &format!("not JSON: {reason}")),
    };
    let id = &request["id"];
    let play = match request["method"].as_str() {
        Some("initialize") => initialize,
        Some("adjudicate") => adjudicate,
        Some(method) => return error(id, -32601, &format!("no method {method}")),
        None => return error(id, -32600, "not a request"),
    };
    match panic::catch_unwind(|| play(&request["params"])) {
        Ok(Ok(result)) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Ok(Err(RpcError(code, message))) => error(id, code, &message),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let text = text.unwrap_or("without a message");
            error(id, -32603, &format!("panic: {text}"))
        }
    }
}

#[cfg(unix)]
extern "C" {
    fn dup(descriptor: i32) -> i32;
    fn dup2(descriptor: i32, other: i32) -> i32;
}

/// Take standard output for the answers: what is printed from now on goes to standard error.
#[cfg(unix)]
fn take_output() -> impl Write {
    use std::os::fd::FromRawFd;
    // SAFETY: 1 and 2 are open, and nothing else has the new descriptor.
    unsafe {
        let output = std::fs::File::from_raw_fd(dup(1));
        dup2(2, 1);
        output
    }
}

#[cfg(not(unix))]
fn take_output() -> impl Write {
    io::stdout()
}

fn main() -> io::Result<()> {
    let mut output = take_output();
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if !line.iter().all(u8::is_ascii_whitespace) {
            writeln!(output, "{}", respond(&line))?;
            output.flush()?;
        }
    }
    Ok(())
}
