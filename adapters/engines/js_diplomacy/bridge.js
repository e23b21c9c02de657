"use strict";
// Lets datc-check drive the npm package `js-diplomacy`: JSON-RPC on stdin and stdout, one message a line.
//
//     node bridge.js FOLDER        FOLDER/node_modules holds the package
//
// Every request is a board of its own: the position becomes a `Board`, every order an order object, `Rule.resolve` is
// called once, and what the package says is handed back. Nothing is corrected on the way.

const path = require("path");
const readline = require("readline");

// Standard output belongs to the protocol: what the package prints goes to standard error.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const folder = path.join(path.resolve(process.argv[2] || "."), "node_modules", "js-diplomacy");
const { version } = require(path.join(folder, "package.json"));
const { standardMap, standardBoard, standardRule, rule: ruleTypes, util } = require(folder);
const { map, locations, Power } = standardMap;
const { Turn, Season } = standardBoard;
const { Board, Unit, Rule, Helper, Utils, State, Phase, Dislodged, ProvinceStatus, Result, Order } = standardRule;
const { Army, Fleet } = standardRule.MilitaryBranch;

const PARSE_ERROR = -32700, INVALID_REQUEST = -32600, UNKNOWN_METHOD = -32601, INTERNAL_ERROR = -32603;
const UNSUPPORTED = -32004;
const TYPES = { A: Army, F: Fleet };
const ILLEGAL = { outcome: "fails", reason: "illegal" };
// Where the package's name of a location (`Lon`, `StP_SC`) is not the protocol's code in another case.
const OTHER_CODES = { GoL: "LYO", Mid: "MAO", NAt: "NAO", Nrg: "NWG", Tyn: "TYS" };
const REASONS = new Map([[Result.Dislodged, "dislodged"], [Result.Bounced, "bounced"], [Result.Standoff, "bounced"],
    [Result.Cut, "cut"], [Result.NoCorrespondingOrder, "void"]]);

const CODES = new Map(Object.entries(locations).map(([name, location]) =>
    [location, OTHER_CODES[name] || name.toUpperCase().replace("_", "/")]));
const LOCATIONS = new Map([...CODES].map(([location, code]) => [code, location]));
const PROVINCES = new Map([...CODES].map(([location, code]) => [location.province, code.slice(0, 3)]));
const POWERS = new Map(Object.keys(Power).filter(isNaN).map((name) => [name.toUpperCase(), Power[name]]));
const POWER_CODES = new Map([...POWERS].map(([code, power]) => [power, code]));

class RpcError extends Error {
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/** An order that none of the package's objects can say. */
class Unsayable extends Error {}

function find(code) {
    if (!LOCATIONS.has(code)) throw new Unsayable(`no place ${code}`);
    return LOCATIONS.get(code);
}

/** The unit that an order names, as the package's own helper finds it; it throws a text where there is none. */
function findUnit(helper, { type, location }) {
    const place = find(location);
    if (type && !Object.hasOwn(TYPES, type)) throw new Unsayable(`no type ${type}`);
    try {
        return helper[type || "U"](place).unit;
    } catch (refusal) {
        throw typeof refusal === "string" ? new Unsayable(refusal) : refusal;
    }
}

const makers = {
    [Phase.Movement]: {
        hold: (helper, order) => new Order.Hold(findUnit(helper, order.unit)),
        move: (helper, order) =>
            new Order.Move(findUnit(helper, order.unit), find(order.to), Boolean(order.via_convoy)),
        support: (helper, order) => {
            const supported = findUnit(helper, order.supported);
            const target = order.to ? new Order.Move(supported, find(order.to)) : new Order.Hold(supported);
            return new Order.Support(findUnit(helper, order.unit), target);
        },
        convoy: (helper, order) => new Order.Convoy(
            findUnit(helper, order.unit), new Order.Move(findUnit(helper, order.convoyed), find(order.to))),
    },
    [Phase.Retreat]: {
        retreat: (helper, order) => new Order.Retreat(findUnit(helper, order.unit), find(order.to)),
        disband: (helper, order) => new Order.Disband(findUnit(helper, order.unit)),
    },
    [Phase.Build]: {
        build: (_helper, { unit: { type, location } }, power) => {
            if (!Object.hasOwn(TYPES, type) || !POWERS.has(power)) throw new Unsayable("a unit of no type or power");
            return new Order.Build(new Unit(TYPES[type], find(location), POWERS.get(power)));
        },
        remove: (helper, order) => new Order.Disband(findUnit(helper, order.unit)),
    },
};

/** The order object for an order; nothing where the harness could not read it, or where a build is waived. */
function makeOrder(helper, phase, { power, order }) {
    if (!order || order.type === "waive") return null;
    if (!Object.hasOwn(makers[phase], order.type)) throw new Unsayable(`no ${order.type} in this phase`);
    return makers[phase][order.type](helper, order, power);
}

function makeUnit({ power, type, location }) {
    if (!POWERS.has(power) || !Object.hasOwn(TYPES, type)) throw new Error(`no such unit: ${power} ${type} ${location}`);
    return new Unit(TYPES[type], find(location), POWERS.get(power));
}

function unitMessage(unit) {
    const type = unit.militaryBranch === Army ? "A" : "F";
    return { power: POWER_CODES.get(unit.power), type, location: CODES.get(unit.location) };
}

/** Put the orders to the package: the board after them, and what it says of each order object. */
function resolve(board, given) {
    const helper = new Helper(board);
    const made = given.map((order) => {
        try {
            return makeOrder(helper, board.state.phase, order);
        } catch (error) {
            if (error instanceof Unsayable) return error;
            throw error;
        }
    });
    const answer = new Rule().resolve(board, new Set(made.filter((order) => order instanceof Order.Order)));
    if (answer instanceof util.Failure) throw answer.err;
    const results = new Map([...answer.result.results].map((entry) => [entry.target, entry]));
    const orders = made.map((order) => order === null ? null : orderResult(order, results.get(order)));
    return { board: answer.result.board, results, orders };
}

/** What the package says of an order. It calls a support or convoy failed whose move failed: no word of ours. */
function orderResult(order, entry) {
    if (order instanceof Unsayable || entry instanceof ruleTypes.Replaced) return ILLEGAL;
    if (!entry) return null;
    if (entry.result === Result.Success) return { outcome: "succeeds" };
    if (REASONS.has(entry.result)) return { outcome: "fails", reason: REASONS.get(entry.result) };
    if (order instanceof Order.Move) return { outcome: "fails", reason: "no-path" };
    return order instanceof Order.Retreat ? { outcome: "fails" } : null;
}

/**
 * Play a movement phase. It is always one of spring: after one of autumn the package plays on, through the winter where
 * nobody has to choose. It also plays on through a retreat phase in which no unit has a retreat.
 */
function playMovement(params) {
    const units = params.units.map(makeUnit);
    const board = new Board(map, new State(new Turn(params.year, Season.Spring), Phase.Movement), units, [], []);
    const { board: after, results, orders } = resolve(board, params.orders);
    const statuses = after.unitStatuses;
    const entries = [...results.values()];
    const dislodged = entries.filter(({ result }) => result === Result.Dislodged).map((entry) => {
        const { unit } = entry.target;
        const attacker = entries.find((other) => other instanceof ruleTypes.Executed && other.result === Result.Success
            && other.target instanceof Order.Move && other.target.destination.province === unit.location.province);
        const from = statuses.has(unit)
            ? statuses.get(unit).attackedFrom
            : attacker && attacker.target.unit.location.province;
        const retreats = statuses.has(unit) ? [...Utils.locationsToRetreat(after, unit, from)] : [];
        const message = { ...unitMessage(unit), retreats: retreats.map((location) => CODES.get(location)).sort() };
        return from ? { ...message, from: PROVINCES.get(from) } : message;
    });
    const standoffs = [...after.provinceStatuses].filter(([, status]) => status.standoff);
    return {
        units: [...after.units].filter((unit) => !statuses.has(unit)).map(unitMessage),
        dislodged,
        orders,
        state: { standoffs: standoffs.map(([province]) => PROVINCES.get(province)) },
    };
}

/** Play a retreat phase. A unit without a retreat is off the board already. */
function playRetreats(params) {
    const waiting = params.dislodged.filter(({ retreats }) => retreats && retreats.length);
    const status = ({ from }) => new Dislodged(from ? find(from).province : null);
    const dislodged = waiting.map((unit) => [makeUnit(unit), status(unit)]);
    const units = [...params.units.map(makeUnit), ...dislodged.map(([unit]) => unit)];
    const standoffs = ((params.state || {}).standoffs || []).map((code) => find(code).province);
    const board = new Board(map, new State(new Turn(params.year, Season.Spring), Phase.Retreat), units, dislodged,
        standoffs.map((province) => [province, new ProvinceStatus(null, true)]));
    const { board: after, orders } = resolve(board, params.orders);
    return { units: [...after.units].map(unitMessage), orders };
}

/** Play an adjustment phase, after the autumn of the year. */
function playAdjustments(params) {
    const owned = Object.entries(params.centers || {}).flatMap(([power, centers]) =>
        centers.map((center) => [find(center).province, new ProvinceStatus(POWERS.get(power) || null, false)]));
    const state = new State(new Turn(params.year, Season.Autumn), Phase.Build);
    const { board, orders } = resolve(new Board(map, state, params.units.map(makeUnit), [], owned), params.orders);
    return { units: [...board.units].map(unitMessage), orders };
}

const PHASES = { movement: playMovement, retreat: playRetreats, adjustment: playAdjustments };

const METHODS = {
    initialize: () => ({
        protocol: 1,
        engine: { name: "js-diplomacy", version, url: "https://www.npmjs.com/package/js-diplomacy" },
        capabilities: { phases: Object.keys(PHASES), maps: ["standard"], orders: ["structured"] },
    }),
    adjudicate: (params) => {
        if ((params.map || "standard") !== "standard") throw new RpcError(UNSUPPORTED, `no map ${params.map}`);
        if (!Object.hasOwn(PHASES, params.phase)) throw new RpcError(UNSUPPORTED, `no ${params.phase} phase`);
        return PHASES[params.phase]({ ...params, orders: params.orders || [], dislodged: params.dislodged || [] });
    },
};

function readRequest(line) {
    let request;
    try {
        request = JSON.parse(line);
    } catch (error) {
        throw new RpcError(PARSE_ERROR, `not JSON: ${error.message}`);
    }
    if (!request || typeof request !== "object" || typeof request.method !== "string")
        throw new RpcError(INVALID_REQUEST, "not a request");
    return request;
}

/** Say what was thrown: an error, a bare text, or one of the package's own errors, which have no text. */
function describe(thrown) {
    if (thrown instanceof RpcError) return thrown.message;
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    if (typeof thrown !== "object" || thrown === null) return String(thrown);
    const power = POWER_CODES.get(thrown.power);
    const units = [...(thrown.units || [])].join(", ");
    return [thrown.constructor.name, power, units].filter(Boolean).join(" ");
}

/** The answer to a line; a notification gets none. */
function respond(line) {
    const response = { jsonrpc: "2.0", id: null };
    try {
        const request = readRequest(line);
        if (!("id" in request)) return null;
        response.id = request.id;
        if (!Object.hasOwn(METHODS, request.method)) throw new RpcError(UNKNOWN_METHOD, `no method ${request.method}`);
        response.result = METHODS[request.method](request.params || {});
    } catch (error) {
        if (!(error instanceof RpcError)) console.error(error);
        response.error = { code: error instanceof RpcError ? error.code : INTERNAL_ERROR, message: describe(error) };
    }
    return response;
}

readline.createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
    const response = line.trim() ? respond(line) : null;
    if (response) write(JSON.stringify(response) + "\n");
});
