//! Let datc-check drive the crate `radip`: JSON-RPC on stdin and stdout, one message a line.
//!
//! Every unit gets its order in the crate's own types, the movement phase is adjudicated, and what
//! the crate says of it is handed back. Nothing is corrected on the way.

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::fd::AsFd;
use std::panic::{self, AssertUnwindSafe};

use radip::base::{Convoy, Hold, Move, SupportHold, SupportMove};
use radip::utils::apply_adjudication;
use radip::{FleetLoc, Map, MapState, Order, Orders, Unit};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const UNSUPPORTED: i64 = -32004;

/// A request that gets a JSON-RPC error for an answer.
struct RpcError(i64, String);

type Answer<T> = Result<T, RpcError>;

/// Take a text out of a message.
fn text<'a>(message: &'a Value, key: &str) -> Answer<&'a str> {
    let value = message[key].as_str();
    value.ok_or_else(|| RpcError(INVALID_PARAMS, format!("no text {key:?} in {message}")))
}

/// Take a list out of a message.
fn list<'a>(message: &'a Value, key: &str) -> Answer<&'a [Value]> {
    let value = message[key].as_array();
    let missing = || RpcError(INVALID_PARAMS, format!("no list {key:?}"));
    value.map(Vec::as_slice).ok_or_else(missing)
}

/// Write a location as the crate does: `STP/SC` is `stp` and `sc`.
fn place(location: &str) -> FleetLoc {
    let location = location.to_lowercase();
    let (province, coast) = location.split_once('/').unwrap_or((&location, ""));
    (province.to_string(), coast.to_string())
}

fn location(province: &str, coast: &str) -> String {
    let separator = if coast.is_empty() { "" } else { "/" };
    format!("{province}{separator}{coast}").to_uppercase()
}

/// Set up the board.
fn board(map: &Map, params: &Value) -> Answer<MapState> {
    let mut units = HashMap::new();
    for given in list(params, "units")? {
        let (province, coast) = place(text(given, "location")?);
        let power = text(given, "power")?.to_string();
        let unit = match text(given, "type")? {
            "A" if map.provinces.contains_key(&province) => Unit::Army(power),
            "F" if map.provinces.contains_key(&province) => Unit::Fleet(power, coast),
            _ => return Err(RpcError(INVALID_PARAMS, format!("not a unit: {given}"))),
        };
        units.insert(province, unit);
    }
    Ok(MapState { units, ownership: HashMap::new() })
}

fn unit_message(province: &str, unit: &Unit) -> Value {
    let (unit_type, power, coast) = match unit {
        Unit::Army(power) => ("A", power, ""),
        Unit::Fleet(power, coast) => ("F", power, coast.as_str()),
    };
    json!({"power": power, "type": unit_type, "location": location(province, coast)})
}

/// Sort messages: the crate keeps everything in hash maps, which are in another order in each run.
fn sorted(messages: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut messages: Vec<Value> = messages.collect();
    messages.sort_by_key(Value::to_string);
    messages
}

/// Write a structured order in the crate's types, with the province that it is for.
///
/// None where the crate has no such order, or no such province.
fn order(map: &Map, order: &Value) -> Option<(String, Box<dyn Order>)> {
    let known = |location: &Value| Some(place(location.as_str()?)).filter(|place| map.provinces.contains_key(&place.0));
    let province = |unit: &Value| known(&unit["location"]).map(|place| place.0);
    let order_type: Box<dyn Order> = match order["type"].as_str()? {
        "hold" => Box::new(Hold),
        "move" => Box::new(Move { dest: known(&order["to"])? }),
        "support" if order["to"].is_null() => Box::new(SupportHold { target: province(&order["supported"])? }),
        "support" => Box::new(SupportMove { src: province(&order["supported"])?, dest: known(&order["to"])?.0 }),
        "convoy" => Box::new(Convoy { src: province(&order["convoyed"])?, dest: known(&order["to"])?.0 }),
        _ => return None,
    };
    Some((province(&order["unit"])?, order_type))
}

fn fails(reason: &str) -> Value {
    json!({"outcome": "fails", "reason": reason})
}

/// Say what became of an order. The crate says only whether it succeeded, or nothing at all.
fn order_result(order: &dyn Order, status: Option<&bool>) -> Value {
    match status {
        None => Value::Null,
        Some(true) => json!({"outcome": "succeeds"}),
        Some(false) if order.is::<Hold>() => fails("dislodged"),
        Some(false) => json!({"outcome": "fails"}),
    }
}

/// Play a movement phase. Of several orders to one unit the crate has room for one: the last.
fn play_movement(params: &Value) -> Answer<Value> {
    let map = Map::classic();
    let before = board(&map, params)?;
    let given = list(params, "orders")?;
    let read: Vec<_> = given.iter().map(|given| order(&map, &given["order"])).collect();
    // The crate wants an order for every unit.
    let mut orders: Orders = before.units.keys().map(|province| (province.clone(), Hold.as_owned())).collect();
    let mut followed = HashMap::new();
    for (index, read) in read.iter().enumerate() {
        if let Some((province, order)) = read {
            orders.insert(province.clone(), order.clone());
            followed.insert(province, index);
        }
    }
    let statuses = radip::adjudicate(&map, &before, &orders);
    let (after, retreats) = apply_adjudication(&map, &before, &orders, &statuses);

    let dislodged = retreats.iter().map(|(province, retreat)| {
        let moved_in = |from: &&String| statuses[*from] && Move::is_move_to(&*orders[*from], province);
        let attacker = statuses.keys().find(moved_in);
        let mut message = unit_message(province, &retreat.src);
        message["from"] = attacker.map(|from| location(from, "")).into();
        message["retreats"] = sorted(retreat.dest.iter().map(|(to, coast)| location(to, coast).into())).into();
        message
    });
    let results = read.iter().zip(given).enumerate().map(|(index, (read, given))| match read {
        Some((province, _)) if followed[province] != index => fails("ignored"),
        Some((province, order)) => order_result(&**order, statuses.get(province)),
        None if given["order"].is_null() => Value::Null,
        None => fails("illegal"),
    });
    Ok(json!({
        "units": sorted(after.units.iter().map(|(province, unit)| unit_message(province, unit))),
        "dislodged": sorted(dislodged),
        "orders": results.collect::<Vec<_>>(),
    }))
}

/// Return the version of the crate that was built in: another release or a checkout may have been set up.
fn engine_version() -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines();
    lines.find(|line| *line == r#"name = "radip""#);
    lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or_default()
}

fn initialize(_params: &Value) -> Answer<Value> {
    Ok(json!({
        "protocol": 1,
        "engine": {"name": "radip", "version": engine_version(), "url": "https://crates.io/crates/radip"},
        "capabilities": {"phases": ["movement"], "maps": ["standard"], "orders": ["structured"]},
    }))
}

fn adjudicate(params: &Value) -> Answer<Value> {
    if params["map"] != "standard" {
        return Err(RpcError(UNSUPPORTED, format!("no map {}", params["map"])));
    }
    if params["phase"] != "movement" {
        return Err(RpcError(UNSUPPORTED, format!("no phase {}", params["phase"])));
    }
    play_movement(params)
}

/// Say what a panic said.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("without a message"))
}

/// Answer a line; a notification gets no answer.
fn respond(line: &[u8]) -> Option<Value> {
    let error = |id: &Value, code: i64, message: String| {
        Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}))
    };
    let request: Value = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(reason) => return error(&Value::Null, PARSE_ERROR, format!("not JSON: {reason}")),
    };
    let Some(method) = request["method"].as_str() else {
        return error(&Value::Null, INVALID_REQUEST, "not a request".to_string());
    };
    let id = request.get("id")?;
    let play = match method {
        "initialize" => initialize,
        "adjudicate" => adjudicate,
        _ => return error(id, UNKNOWN_METHOD, format!("no method {method:?}")),
    };
    // Whatever a request makes the crate do, the next one is answered.
    match panic::catch_unwind(AssertUnwindSafe(|| play(&request["params"]))) {
        Ok(Ok(result)) => Some(json!({"jsonrpc": "2.0", "id": id, "result": result})),
        Ok(Err(RpcError(code, message))) => error(id, code, message),
        Err(panic) => error(id, INTERNAL_ERROR, panic_text(panic.as_ref())),
    }
}

/// Take standard output for the protocol: what the crate prints on it goes to standard error from now on.
fn claim_stdout() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(output.into())
}

fn main() -> io::Result<()> {
    let mut output = claim_stdout()?;
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(response) = respond(&line) {
            output.write_all(format!("{response}\n").as_bytes())?;
        }
    }
    Ok(())
}
