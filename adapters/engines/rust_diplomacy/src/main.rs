//! Let datc-check drive the crate `diplomacy`: JSON-RPC on stdin and stdout, one message a line.
//!
//! Orders are written in the crate's own notation and read by its parser, one phase is adjudicated,
//! and what the crate says of it is handed back. Nothing is corrected on the way.

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, Write};
use std::panic::{self, AssertUnwindSafe};

use diplomacy::geo::{Coast, ProvinceKey, RegionKey, standard_map};
use diplomacy::judge::{
    AttackOutcome, ConvoyOutcome, HoldOutcome, IllegalOrder, MappedMainOrder, OrderOutcome, Rulebook, Submission,
    SupportOutcome, build, retreat,
};
use diplomacy::{Nation, ShortName, Unit, UnitPosition, UnitPositions, UnitType};
use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
const UNSUPPORTED: i64 = -32004;

/// How often the crate is asked the same. Where the order of a hash map decides, it goes one way or
/// the other at random: in this many tries it goes both.
const TRIES: usize = 32;

/// The powers, and the names that the crate's map gives them.
const POWERS: [(&str, &str); 7] = [
    ("AUSTRIA", "AUS"),
    ("ENGLAND", "ENG"),
    ("FRANCE", "FRA"),
    ("GERMANY", "GER"),
    ("ITALY", "ITA"),
    ("RUSSIA", "RUS"),
    ("TURKEY", "TUR"),
];

/// A request that gets a JSON-RPC error for an answer.
struct RpcError(i64, String);

type Answer<T> = Result<T, RpcError>;
type Position = UnitPosition<'static, RegionKey>;

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

fn nation(power: &str) -> Answer<Nation> {
    let known = POWERS.iter().find(|(name, _)| *name == power);
    let (_, short) = known.ok_or_else(|| RpcError(INVALID_PARAMS, format!("no power {power:?}")))?;
    Ok(Nation::from(*short))
}

fn power(nation: &Nation) -> String {
    let short = nation.short_name();
    let known = POWERS.iter().find(|(_, name)| *name == short);
    known.map_or_else(|| short.to_string(), |(name, _)| name.to_string())
}

/// Write a location in the crate's notation: `STP/SC` is `stp(sc)`.
fn region_text(location: &str) -> String {
    match location.to_lowercase().split_once('/') {
        Some((province, coast)) => format!("{province}({coast})"),
        None => location.to_lowercase(),
    }
}

fn location(region: &RegionKey) -> String {
    let province = region.province().short_name().to_uppercase();
    match region.coast() {
        None => province,
        Some(Coast::North) => province + "/NC",
        Some(Coast::East) => province + "/EC",
        Some(Coast::South) => province + "/SC",
        Some(Coast::West) => province + "/WC",
    }
}

/// Read a unit of the position.
fn position(unit: &Value) -> Answer<Position> {
    let region = region_text(text(unit, "location")?).parse::<RegionKey>();
    let unit_type = text(unit, "type")?.parse::<UnitType>();
    match (unit_type, region) {
        (Ok(unit_type), Ok(region)) => {
            Ok(UnitPosition::new(Unit::new(Cow::Owned(nation(text(unit, "power")?)?), unit_type), region))
        }
        _ => Err(RpcError(INVALID_PARAMS, format!("not a unit: {unit}"))),
    }
}

fn positions(params: &Value) -> Answer<Vec<Position>> {
    list(params, "units")?.iter().map(position).collect()
}

fn unit_message(position: &UnitPosition<'_, &RegionKey>) -> Value {
    json!({
        "power": power(position.nation()),
        "type": position.unit.unit_type().short_name(),
        "location": location(position.region),
    })
}

/// Sort messages: the crate keeps units in hash maps, which are in another order in each run.
fn sorted(mut messages: Vec<Value>) -> Vec<Value> {
    messages.sort_by_key(Value::to_string);
    messages
}

fn unit_messages(positions: &impl UnitPositions<RegionKey>) -> Vec<Value> {
    sorted(positions.unit_positions().iter().map(unit_message).collect())
}

/// Write a place of an order; none off the map, which the crate does not refuse in every order.
fn place(value: &Value) -> Option<String> {
    let region = region_text(value.as_str()?);
    let province = region.split('(').next()?;
    standard_map().find_region(province)?;
    Some(region)
}

/// Write a unit of an order as it was: `F nth`, or `nth`, which the crate seldom takes.
fn unit_text(unit: &Value) -> Option<String> {
    let place = place(&unit["location"])?;
    Some(match unit["type"].as_str() {
        Some(unit_type) => format!("{unit_type} {place}"),
        None => place,
    })
}

/// Write a structured order in the crate's notation; none where the crate has no such order.
fn order_text(given: &Value) -> Option<String> {
    let order = &given["order"];
    let nation = nation(given["power"].as_str()?).ok()?;
    let command = match order["type"].as_str()? {
        "hold" => "hold".to_string(),
        "move" if order["via_convoy"] == true => format!("-> {} via convoy", place(&order["to"])?),
        "move" | "retreat" => format!("-> {}", place(&order["to"])?),
        "support" if order["to"].is_null() => {
            format!("supports {}", unit_text(&order["supported"])?)
        }
        "support" => format!("supports {} -> {}", unit_text(&order["supported"])?, place(&order["to"])?),
        "convoy" => format!("convoys {} -> {}", unit_text(&order["convoyed"])?, place(&order["to"])?),
        "build" => "build".to_string(),
        // No order of a retreat phase: there the crate disbands what is given no retreat.
        "disband" | "remove" => "disband".to_string(),
        _ => return None,
    };
    Some(format!("{nation}: {} {command}", unit_text(&order["unit"])?))
}

/// Read an order with the crate's parser; none where the crate refuses it.
fn parse<O: std::str::FromStr>(given: &Value) -> Option<O> {
    order_text(given)?.parse().ok()
}

fn fails(reason: &str) -> Value {
    json!({"outcome": "fails", "reason": reason})
}

/// Say what became of an order, in the words of the protocol.
///
/// Of a support or a convoy that was not cut or disrupted the crate does not say whether it was of
/// use: that is `null`.
fn order_result(outcome: &OrderOutcome<&MappedMainOrder>) -> Value {
    match outcome {
        OrderOutcome::Illegal(IllegalOrder::MultipleToSameUnit) => fails("ignored"),
        OrderOutcome::Illegal(_) => fails("illegal"),
        OrderOutcome::Hold(HoldOutcome::Succeeds) => json!({"outcome": "succeeds"}),
        OrderOutcome::Hold(HoldOutcome::Dislodged(_)) => fails("dislodged"),
        OrderOutcome::Move(AttackOutcome::Succeeds) => json!({"outcome": "succeeds"}),
        OrderOutcome::Move(AttackOutcome::MoveToSelf) => fails("illegal"),
        OrderOutcome::Move(AttackOutcome::NoPath) => fails("no-path"),
        OrderOutcome::Move(AttackOutcome::LostHeadToHead) => fails("dislodged"),
        OrderOutcome::Move(_) => fails("bounced"),
        OrderOutcome::Support(SupportOutcome::NotDisrupted) => Value::Null,
        OrderOutcome::Support(SupportOutcome::CutBy(_)) => fails("cut"),
        OrderOutcome::Support(_) => fails("illegal"),
        OrderOutcome::Convoy(ConvoyOutcome::NotDisrupted) => Value::Null,
        OrderOutcome::Convoy(ConvoyOutcome::NotAtSea) => fails("illegal"),
        OrderOutcome::Convoy(ConvoyOutcome::Dislodged(_)) => fails("dislodged"),
        OrderOutcome::Convoy(ConvoyOutcome::Paradox) => fails("disrupted"),
    }
}

/// Play a movement phase.
fn play_movement(params: &Value) -> Answer<Value> {
    let given = list(params, "orders")?;
    let orders: Vec<Option<MappedMainOrder>> = given.iter().map(parse).collect();
    let submitted = orders.iter().flatten().cloned().collect();
    let submission = Submission::new(standard_map(), &positions(params)?, submitted);
    let outcome = submission.adjudicate(Rulebook::edition_2023());
    let start = outcome.to_retreat_start();
    let dislodged = start.dislodged().iter().map(|(order, dislodger)| {
        let unit = order.unit_position();
        let retreats = start.retreat_destinations()[&unit].available();
        let mut message = unit_message(&unit);
        message["from"] = json!(dislodger.region.province().short_name().to_uppercase());
        message["retreats"] = retreats.into_iter().map(location).collect();
        message
    });
    let results = orders.iter().zip(given).map(|(order, given)| match order {
        Some(order) => outcome.get(order).map_or(Value::Null, order_result),
        None if given["order"].is_null() => Value::Null,
        None => fails("illegal"),
    });
    Ok(json!({
        "units": unit_messages(&start),
        "dislodged": sorted(dislodged.collect()),
        "orders": results.collect::<Vec<_>>(),
        "state": {"units": params["units"], "orders": params["orders"]},
    }))
}

/// Play a retreat phase. The crate wants the movement phase's outcome: it is adjudicated again.
fn play_retreat(params: &Value) -> Answer<Value> {
    let movement = &params["state"];
    let submitted = list(movement, "orders")?.iter().filter_map(parse).collect();
    let submission = Submission::new(standard_map(), &positions(movement)?, submitted);
    let outcome = submission.adjudicate(Rulebook::edition_2023());
    let start = outcome.to_retreat_start();
    let context = retreat::Context::new(&start, list(params, "orders")?.iter().filter_map(parse));
    Ok(json!({"units": unit_messages(&context.resolve())}))
}

/// The board before an adjustment phase, as the crate asks for it.
struct World(Vec<Position>);

impl build::WorldState for World {
    fn nations(&self) -> HashSet<&Nation> {
        self.0.iter().map(UnitPosition::nation).collect()
    }

    fn occupier(&self, province: &ProvinceKey) -> Option<&Nation> {
        let unit = self.0.iter().find(|unit| unit.region.province() == province);
        unit.map(UnitPosition::nation)
    }

    fn unit_count(&self, nation: &Nation) -> u8 {
        self.units(nation).len() as u8
    }

    fn units(&self, nation: &Nation) -> HashSet<(UnitType, RegionKey)> {
        let units = self.0.iter().filter(|unit| unit.nation() == nation);
        units.map(|unit| (unit.unit.unit_type(), unit.region.clone())).collect()
    }
}

/// Play an adjustment phase.
fn play_adjustment(params: &Value) -> Answer<Value> {
    let mut owners = HashMap::new();
    for (power, centers) in params["centers"].as_object().into_iter().flatten() {
        for center in centers.as_array().into_iter().flatten().filter_map(Value::as_str) {
            owners.insert(ProvinceKey::new(center.to_lowercase()), nation(power)?);
        }
    }
    let world = World(positions(params)?);
    let orders = list(params, "orders")?.iter().filter_map(parse);
    let submission = build::Submission::new(standard_map(), &owners, &world, orders);
    let outcome = submission.adjudicate(Rulebook::edition_2023());
    let units: Vec<Position> = outcome.to_final_unit_positions().collect();
    Ok(json!({"units": unit_messages(&units)}))
}

/// Return the version of the crate that was built in: another release or a checkout may have been set up.
fn engine_version() -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines();
    lines.find(|line| *line == r#"name = "diplomacy""#);
    lines.next().and_then(|line| line.split('"').nth(1)).unwrap_or_default()
}

fn initialize(_params: &Value) -> Answer<Value> {
    Ok(json!({
        "protocol": 1,
        "engine": {
            "name": "diplomacy (crates.io)",
            "version": engine_version(),
            "url": "https://crates.io/crates/diplomacy",
        },
        "capabilities": {
            "phases": ["movement", "retreat", "adjustment"],
            "maps": ["standard"],
            "orders": ["structured"],
        },
    }))
}

fn adjudicate(params: &Value) -> Answer<Value> {
    if params["map"] != "standard" {
        return Err(RpcError(UNSUPPORTED, format!("no map {}", params["map"])));
    }
    let play = match params["phase"].as_str() {
        Some("movement") => play_movement,
        Some("retreat") => play_retreat,
        Some("adjustment") => play_adjustment,
        _ => {
            return Err(RpcError(UNSUPPORTED, format!("no phase {}", params["phase"])));
        }
    };
    settled(|| play(params))
}

/// Ask several times, and hand the answer on only if it is the same each time.
fn settled(play: impl Fn() -> Answer<Value>) -> Answer<Value> {
    let answers = (0..TRIES).map(|_| play()).collect::<Answer<Vec<_>>>()?;
    if answers.iter().all(|answer| *answer == answers[0]) {
        return Ok(answers[0].clone());
    }
    let boards: Vec<&[Value]> = answers.iter().map(|answer| list(answer, "units")).collect::<Answer<_>>()?;
    let doubtful: BTreeSet<String> = boards
        .concat()
        .iter()
        .filter(|unit| !boards.iter().all(|board| board.contains(unit)))
        .map(|unit| format!("{} {} {}", unit["power"], unit["type"], unit["location"]))
        .collect();
    let units = Vec::from_iter(doubtful).join(", ").replace('"', "");
    let message = format!("answers differ from try to try, about: {units}");
    Err(RpcError(INTERNAL_ERROR, message))
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

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(response) = respond(&line) {
            writeln!(output, "{response}")?;
            output.flush()?;
        }
    }
    Ok(())
}
