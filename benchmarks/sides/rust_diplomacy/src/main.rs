//! Times the crate `diplomacy`; `adjudicate.py` starts it.
//!
//! It reads positions as one line of JSON, then answers each further line, the index of a workload,
//! with the seconds of processor time that the way from orders as read to their outcomes took, or with
//! the argument `text` from units and orders as texts.

use std::borrow::Cow;
use std::io::{self, BufRead};

use cpu_time::ProcessTime;
use diplomacy::geo::{RegionKey, standard_map};
use diplomacy::judge::{MappedMainOrder, Rulebook, Submission};
use diplomacy::{Nation, Unit, UnitPosition};
use serde_json::Value;

const POWERS: [&str; 7] = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"];

type Position = (Vec<UnitPosition<'static, RegionKey>>, Vec<MappedMainOrder>);

fn nation(power: &str) -> Nation {
    assert!(POWERS.contains(&power), "no power {power}");
    Nation::from(&power[..3])
}

/// Write a location in the crate's notation: `STP/SC` is `stp(sc)`.
fn region(location: &str) -> String {
    match location.to_lowercase().split_once('/') {
        Some((province, coast)) => format!("{province}({coast})"),
        None => location.to_lowercase(),
    }
}

/// Write an order of codes, such as `F NTH C A LON - NWY`, in the crate's notation.
fn order(power: &str, text: &str) -> MappedMainOrder {
    let words = text.split(' ').map(|word| match word {
        "A" | "F" => word.to_string(),
        "-" => "->".to_string(),
        "S" => "supports".to_string(),
        "C" => "convoys".to_string(),
        "H" => "holds".to_string(),
        place => region(place),
    });
    let line = format!("{}: {}", nation(power), words.collect::<Vec<_>>().join(" "));
    line.parse().unwrap_or_else(|error| panic!("{line}: {error:?}"))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn position(value: &Value) -> Position {
    let units = list(&value[0]).iter().map(|unit| {
        let region = region(text(&unit[2])).parse().expect("a region");
        let unit_type = text(&unit[1]).parse().expect("a type");
        UnitPosition::new(Unit::new(Cow::Owned(nation(text(&unit[0]))), unit_type), region)
    });
    let orders = list(&value[1]).iter().map(|given| order(text(&given[0]), text(&given[1])));
    (units.collect(), orders.collect())
}

fn adjudicate((units, orders): &Position) {
    let submission = Submission::new(standard_map(), units, orders.clone());
    std::hint::black_box(&submission.adjudicate(Rulebook::edition_2023()));
}

fn main() -> io::Result<()> {
    let mut lines = io::stdin().lock().lines();
    let given: Value = serde_json::from_str(&lines.next().expect("a line")?)?;
    let from_text = std::env::args().len() > 1;
    let workloads: Vec<Vec<Position>> =
        list(&given).iter().map(|load| list(load).iter().map(position).collect()).collect();
    println!("ready");
    for line in lines {
        let index = line?.parse::<usize>().expect("an index");
        let began = ProcessTime::now();
        if from_text {
            list(&list(&given)[index]).iter().for_each(|each| adjudicate(&position(each)));
        } else {
            workloads[index].iter().for_each(adjudicate);
        }
        println!("{}", began.elapsed().as_secs_f64());
    }
    Ok(())
}
