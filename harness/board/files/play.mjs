// The page to try positions on. The text is what counts: clicks on the board change the text, and every change of the
// text is asked of the engine, which runs in a worker (data-backend="worker") or behind the local server ("server").

import { makeView } from "./view.mjs";

const page = document.getElementById("play");
const data = JSON.parse(document.getElementById("play-data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const STALLED = 30_000; // milliseconds in which nothing is loaded
const NO_SERVICE = 2000; // milliseconds until the page goes on without its service worker
const PICTURE_WIDTH = 2400;
const NEAR = 45; // units of the map: so near to a unit a drag takes it
const CALM_DOWN = 40; // milliseconds without a key before what is typed is asked
const MOST_KEPT = 20; // questions
const ENGINES_BUSY = 500; // milliseconds until engines that answer another page are asked again

const part = (name) => document.getElementById(`play-${name}`);
const provinceOf = (location) => location.split("/")[0];
const powerName = (code) => data.powers[code] ?? code;
const placeName = (location) =>
  data.provinces[provinceOf(location)]?.coasts[location] ?? data.provinces[provinceOf(location)]?.name ?? location;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// The reference engine: one question at a time; of those that wait, only the newest is asked.

function workerBackend() {
  const engine = new URL(page.dataset.engine, location.href);
  const waiting = new Map();
  let worker;
  let number = 0;
  let fail;
  let stalled = 0;
  let isLoading = true;
  const waitForMore = () => {
    clearTimeout(stalled);
    stalled = setTimeout(() => fail(new Error("the engine could not be loaded: nothing comes")), STALLED);
  };
  const ready = new Promise((resolve, reject) => {
    fail = reject;
    waitForMore();
    const startWorker = () => {
      worker = new Worker(new URL("worker.mjs", engine), { type: "module" });
      worker.onerror = () => fail(new Error("the engine could not be loaded"));
      worker.onmessage = ({ data: message }) => {
        if (message.loaded) {
          if (!isLoading) return; // What else is loaded does not matter any more.
          waitForMore();
          if (page.dataset.state === "done") return; // Nothing waits for it: a kept answer is shown.
          const [now, all] = [message.loaded, page.dataset.size].map((bytes) => (bytes / 1e6).toFixed(1));
          part("status").textContent = `Loading the reference engine: ${now} of ${all} MB …`;
        } else if (message.ready) resolve();
        else if (message.id === undefined) reject(new Error(`the engine could not be loaded: ${message.failed}`));
        else {
          const { resolve: give, reject: refuse } = waiting.get(message.id);
          waiting.delete(message.id);
          if (message.failed) refuse(new Error(message.failed));
          else give(message.answer);
        }
      };
    };
    if (navigator.serviceWorker?.controller) startWorker(); // before the page makes its board
    else keepOffline().then(startWorker);
  });
  const settled = () => {
    isLoading = false;
    clearTimeout(stalled);
  };
  ready.then(settled, settled);
  return async (kind, question) => {
    if (isLoading && kind === "answer" && state.answer) showStale("Loading the reference engine …");
    await ready;
    return new Promise((resolve, reject) => {
      number += 1;
      waiting.set(number, { resolve, reject });
      worker.postMessage({ id: number, kind, question });
    });
  };
}

// The service worker keeps what is loaded from now on; what was loaded before it came is loaded through it once more. Nothing
// waits for it for long, and without it the page works as well.

async function keepOffline() {
  const service = navigator.serviceWorker;
  if (!service) return;
  const there = new Promise((resolve) => { service.addEventListener("controllerchange", resolve, { once: true }); });
  const registered = service.register(new URL("offline.js", new URL(page.dataset.assets, location.href)));
  await Promise.race([registered.then(() => there), new Promise((resolve) => { setTimeout(resolve, NO_SERVICE); })]).catch(() => {});
  if (!service.controller) return;
  const before = performance.getEntriesByType("resource").filter(({ initiatorType }) => initiatorType !== "fetch");
  for (const address of [location.href, ...before.map(({ name }) => name)]) fetch(address).catch(() => {});
}

async function askServer(kind, question) {
  const response = await fetch(kind, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const ask = page.dataset.backend === "server" ? askServer : workerBackend();

// What was answered to the questions that were opened last is kept on the site. The address has all that it depends on: the
// engine, whose folder is named by its content, and the whole question.

const answers = page.dataset.engine && self.caches?.open("datc-check-play").catch(() => {}); // as in offline.js
const keptAt = (current) => `${page.dataset.engine}answers?${encodeURIComponent(JSON.stringify(current))}`;

async function findKept(current) {
  try {
    return await (await (await answers).match(keptAt(current))).json();
  } catch {
    return null; // It is not kept, or cannot be read.
  }
}

async function keepAnswers(current, given) {
  try {
    const cache = await answers;
    await cache.put(keptAt(current), new Response(JSON.stringify(given)));
    const all = (await cache.keys()).map(({ url }) => url).filter((url) => url.includes("/answers?"));
    await Promise.all(all.slice(0, -MOST_KEPT).map((url) => cache.delete(url)));
  } catch {} // There may be no room for it, or nothing that keeps.
}

// What is asked: the text of the position, the texts of the phases after it, and the ruleset.

const state = {
  later: [], answer: null, answered: "", ruleset: "", boards: null, before: [], mode: null, selected: null,
  done: [], undone: [], asked: null,
};

const ruleset = () => part("ruleset").value || state.ruleset;

function question() {
  return {
    text: part("text").value,
    later: state.later.map(({ phase, text }) => ({ phase, text })),
    ruleset: ruleset(),
  };
}

let timer = 0;

function askSoon() {
  page.dataset.state = "busy";
  clearTimeout(timer);
  timer = setTimeout(askNow, CALM_DOWN);
}

let running = null; // what is waited for, before the board is changed
let again = false;
let isOpened = false; // by a link, or with the page

function askNow() {
  clearTimeout(timer);
  part("back").disabled = !state.before.length && !state.later.length;
  again = Boolean(running);
  running ??= askUntilAnswered();
  return running;
}

async function askUntilAnswered() {
  page.dataset.state = "busy";
  do {
    again = false;
    await askOnce();
  } while (again);
  running = null;
  page.dataset.state = "done";
}

async function askOnce() {
  const current = question();
  const wasOpened = isOpened;
  isOpened = false;
  remember(current);
  try {
    const kept = wasOpened && (await findKept(current));
    const answer = kept?.answer ?? (await ask("answer", current));
    if (answer.problems) showProblems(answer.problems);
    else if (!again) {
      state.answered = link({ ...current, ruleset: "" });
      showAnswer(answer);
      const boards = kept?.boards ?? (await ask("boards", current));
      showBoards(boards);
      if (wasOpened) void keepAnswers(current, { answer, boards });
      void askEngines();
    }
    if (!again) history.replaceState(null, "", link(current));
  } catch (error) {
    const canReopen = !state.answer || page.dataset.engine; // On a server that is gone, nothing would be left of the page.
    showStale(`No answer: ${error.message}.`);
    if (canReopen) part("status").append(" ", button("Try again", () => reopen(current)));
  }
}

function reopen(current) {
  history.replaceState(null, "", link(current));
  location.reload();
}

// What was asked before, to undo.

function remember(current) {
  if (state.asked && link(state.asked) !== link(current)) {
    state.done.push(state.asked);
    state.undone = [];
  }
  state.asked = current;
  part("undo").disabled = !state.done.length;
  part("redo").disabled = !state.undone.length;
}

function goTo(from, to) {
  to.push(state.asked);
  state.asked = from.pop();
  part("ruleset").value = state.asked.ruleset;
  return setQuestion(state.asked);
}

function setQuestion({ text, later }) {
  part("text").value = text;
  setLater(later);
  deselect();
  return askNow();
}

// Engines may take their time: nothing waits for them, and they are asked only what is still there when they are free.

let enginesRun = false;
let enginesAgain = false;

async function askEngines() {
  if (page.dataset.engines !== "yes") return;
  if (enginesRun) {
    enginesAgain = true;
    return;
  }
  enginesRun = true;
  page.dataset.engineState = "busy";
  const current = question();
  try {
    const answer = await ask("engines", current);
    if (answer.busy) {
      enginesAgain = true;
      await new Promise((resolve) => setTimeout(resolve, ENGINES_BUSY));
    } else if (link(current) === link(question())) {
      if (answer.problems) part("status").textContent = `No answer of the engines: ${answer.problems.join("; ")}`;
      else showRulesets(answer.rulesets);
    }
  } catch (error) {
    part("status").textContent = `No answer of the engines: ${error.message}`;
  }
  enginesRun = false;
  if (enginesAgain) {
    enginesAgain = false;
    await askEngines();
  } else page.dataset.engineState = "done";
}

// The link holds the whole question behind its "#", which a browser sends to no server.

function link(current) {
  const parameters = new URLSearchParams({ ruleset: current.ruleset, text: current.text });
  for (const { phase, text } of current.later) parameters.append(phase, text);
  return `#${parameters}`;
}

function openLink() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  state.ruleset = parameters.get("ruleset") ?? ruleset();
  part("ruleset").value = state.ruleset; // Nothing is selected if this version does not have it.
  const later = [...parameters].filter(([name]) => name === "retreat" || name === "adjustment");
  state.before = [];
  isOpened = true;
  return setQuestion({
    text: parameters.get("text") ?? data.start,
    later: later.map(([phase, text]) => ({ phase, text })),
  });
}

// Outcomes.

function showProblems(problems) {
  part("problems").replaceChildren(...problems.map((problem) => element("p", { textContent: problem })));
  showStale("No answer: the text or the link cannot be read.");
}

// What is still shown answers what was there before: it is marked, and is not taken elsewhere.

function showStale(said) {
  const isStale = said !== "";
  if (isStale) part("status").textContent = state.answer ? `${said} Board and outcomes are those of the text before.` : said;
  for (const each of [part("outcome"), part("room"), part("differs")]) each.classList.toggle("play-stale", isStale);
  const taking = page.querySelectorAll("#play-next, #play-link, #play-picture, [data-copy]");
  for (const each of taking) each.disabled = isStale;
}

function showAnswer(answer) {
  const known = new Set(state.answer?.units.map(({ location }) => provinceOf(location)));
  state.answer = answer;
  forgetMissing();
  showStale("");
  part("problems").replaceChildren();
  part("outcome").hidden = false;
  part("status").textContent = `${answer.title}: ${answer.summary}`;
  part("notes").replaceChildren(...answer.notes.map((note) => element("li", { textContent: note })));
  part("earlier").replaceChildren(
    ...answer.earlier.map(({ title, summary }) => element("p", { textContent: `${title}: ${summary}` })),
  );
  part("orders").replaceChildren(...answer.explained.map(orderRow));
  part("steps").textContent = answer.steps.join("\n");
  part("toml").textContent = answer.exports.toml;
  part("request").textContent = JSON.stringify(answer.exports.request, null, 2);
  part("forum").textContent = answer.exports.forum;
  showPost();
  part("next").textContent = `Next: ${answer.next.title}`;
  showRulesets(answer.rulesets);
  nameProvinces();
  showPanel();
  const added = units().map(({ location }) => provinceOf(location)).filter((code) => !known.has(code));
  if (!known.size || added.some((code) => !view.sees(data.provinces[code].at))) fitUnits();
}

// A post ends with the link, which only the page knows.

function showPost() {
  if (!state.answer) return;
  const address = new URL(link(question()), location.href).href;
  part("post").textContent = `${state.answer.exports.posts[part("format").value]}\nTry it: ${address}\n`;
}

// A picture of the board as it is seen, in light colours. The file of the map has the style of what stands on it, too. A
// phone offers to send it.

async function savePicture() {
  const map = await (await fetch(page.dataset.map)).text();
  const drawn = part("room").querySelector(":scope > svg.dm").cloneNode(true);
  drawn.classList.add("light");
  drawn.querySelector(":scope > rect").replaceWith(...new DOMParser().parseFromString(map, "image/svg+xml").documentElement.childNodes);
  const { width, height } = drawn.viewBox.baseVal;
  const canvas = element("canvas", { width: PICTURE_WIDTH, height: Math.round((PICTURE_WIDTH * height) / width) });
  const image = element("img", { width: canvas.width, height: canvas.height });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
  await image.decode();
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const picture = await new Promise((resolve) => { canvas.toBlob(resolve); });
  const files = [new File([picture], "position.png", { type: "image/png" })];
  if (matchMedia("(hover: none)").matches && navigator.canShare?.({ files })) await navigator.share({ files }).catch(() => {});
  else element("a", { href: URL.createObjectURL(picture), download: "position.png" }).click();
}

function orderRow({ power, order, outcome, reason, why }) {
  const said = reason ? `${outcome}, ${reason}` : outcome;
  return element(
    "tr",
    {},
    element("td", { textContent: `${powerName(power)}: ${order}` }),
    element("td", { textContent: said, className: outcome === "fails" ? "play-fails" : "" }),
    element("td", { textContent: why.join("; ") }),
  );
}

function showRulesets({ sentence, question, depends_on, rows, unanswered }) {
  part("differs").textContent = [sentence, question].filter(Boolean).join(" ");
  part("depends").textContent = depends_on.join(" ");
  const silent = Object.entries(unanswered).map(([name, reason]) => ({
    rulesets: [name],
    engines: [],
    phases: [`no answer: ${reason}`],
    why: "",
    remark: "",
  }));
  part("rulesets").replaceChildren(
    ...[...rows, ...silent].map((row) =>
      element(
        "tr",
        { className: row.in_force ? "play-in-force" : "" },
        element(
          "td",
          {},
          ...row.engines.map((name) => element("strong", { textContent: name })),
          element("span", { className: "play-names", textContent: row.rulesets.join(", ") }),
        ),
        element("td", { textContent: row.phases.join("; then ") }),
        element("td", { textContent: [row.why, row.in_force ? "the ruleset in force" : row.remark].filter(Boolean).join(" ") }),
      ),
    ),
  );
}

// The board: what the engine drew, and above it the provinces, which can be focused and clicked.

function showBoards(boards) {
  state.boards = boards;
  drawBoard();
}

function drawBoard() {
  if (!state.boards) return;
  const shown = document.querySelector("input[name=play-shown]:checked").value;
  const drawn = new DOMParser().parseFromString(state.boards[shown], "image/svg+xml").documentElement;
  part("room").querySelector(":scope > svg.dm")?.remove();
  part("room").prepend(document.importNode(drawn, true));
  view.show();
}

const layer = document.createElementNS(SVG, "svg");
const shapes = new Map();

function makeProvinces() {
  layer.setAttribute("viewBox", data.viewBox);
  layer.setAttribute("class", "play-provinces");
  layer.setAttribute("role", "group");
  layer.setAttribute("aria-label", "Provinces; the arrow keys go from one to the next, Enter selects it");
  for (const code of Object.keys(data.provinces)) {
    const shape = document.createElementNS(SVG, "g");
    const use = document.createElementNS(SVG, "use");
    use.setAttribute("href", `#dm-map-${code}`);
    shape.setAttribute("role", "button");
    shape.setAttribute("tabindex", "-1");
    shape.dataset.province = code;
    shape.append(use);
    shapes.set(code, shape);
    layer.append(shape);
  }
  shapes.values().next().value.setAttribute("tabindex", "0");
  part("room").append(layer);
  layer.addEventListener("keydown", onBoardKey);
  layer.addEventListener("focusin", ({ target }) => {
    for (const shape of shapes.values()) shape.setAttribute("tabindex", shape === target ? "0" : "-1");
  });
  nameProvinces();
  drawEmptyBoard();
}

// Until the engine has drawn one.

function drawEmptyBoard() {
  const [, , width, height] = data.viewBox.split(" ");
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("class", "board-map dm");
  drawn.setAttribute("aria-hidden", "true");
  const map = document.createElementNS(SVG, "rect");
  for (const [name, value] of Object.entries({ fill: "url(#dm-map)", width, height })) map.setAttribute(name, value);
  drawn.append(map);
  part("room").prepend(drawn);
}

function nameProvinces() {
  for (const [code, shape] of shapes) {
    const dislodged = dislodgedIn(code);
    const units = [unitIn(code), dislodged].filter(Boolean);
    const words = [data.provinces[code].name, ...units.map((unit) => describe(unit, unit === dislodged))];
    shape.setAttribute("aria-label", words.join(", "));
    shape.setAttribute("aria-pressed", String(code === state.selected));
    shape.classList.toggle("play-target", Boolean(state.mode?.targets?.includes(code)));
  }
}

const units = () => [...(state.answer?.units ?? []), ...(state.answer?.dislodged ?? [])];
const MARGIN = 40; // units of the map around the provinces that are shown

function fitUnits() {
  const shown = new Set(units().flatMap(({ location }) => [provinceOf(location), ...data.provinces[provinceOf(location)].near]));
  view.fit([...shown].map((code) => data.provinces[code].at), MARGIN);
}

function describe(unit, isDislodged) {
  const kind = unit.type === "A" ? "army" : "fleet";
  const said = `${isDislodged ? "dislodged " : ""}${kind} of ${powerName(unit.power)}`;
  const own = isDislodged || state.answer.phase !== "retreat" ? orderTo(provinceOf(unit.location)) : undefined;
  return own ? `${said}, ordered ${own.text}` : said;
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function onBoardKey(event) {
  const code = event.target.dataset?.province;
  if (!code) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(code);
  } else if (event.key === "Escape") {
    forget();
  } else if (event.key === "n") {
    event.stopPropagation(); // The theme of the site would go to its next page.
    goToNextUnit();
  } else if (event.key === "+" || event.key === "-") view.zoom(event.key === "+");
  else if (event.key in DIRECTIONS) {
    event.preventDefault();
    shapes.get(neighborOf(code, DIRECTIONS[event.key]))?.focus();
  }
}

function neighborOf(code, [right, down]) {
  const [x, y] = data.provinces[code].at;
  let best = null;
  let least = Infinity;
  for (const [other, { at }] of Object.entries(data.provinces)) {
    const along = (at[0] - x) * right + (at[1] - y) * down;
    const across = Math.abs((at[0] - x) * down) + Math.abs((at[1] - y) * right);
    if (along > 0 && across <= along && along + across < least) {
      best = other;
      least = along + across;
    }
  }
  return best;
}

// An arrow follows the pointer that drags a unit.

const arrow = document.createElementNS(SVG, "line");
arrow.setAttribute("class", "play-arrow");

function showArrow(from, [x, y], over) {
  const [startX, startY] = data.provinces[from].at;
  for (const [name, value] of Object.entries({ x1: startX, y1: startY, x2: x, y2: y })) arrow.setAttribute(name, value);
  layer.append(arrow);
  for (const [code, shape] of shapes) shape.classList.toggle("play-over", code === over && code !== from);
}

async function dropUnit(from, to) {
  arrow.remove();
  for (const shape of shapes.values()) shape.classList.remove("play-over");
  if (!to || to === from) return;
  await running;
  state.selected = from;
  moveTo(from, to);
}

const view = makeView(part("room"), data.viewBox, {
  canDrag: (code, point) => !tool() && canMove(code) && isNearUnit(code, point),
  tap: choose,
  drag: showArrow,
  drop: dropUnit,
});

// The next unit without an order, for the key "n".

function goToNextUnit() {
  const open = units().map(({ location }) => provinceOf(location)).filter((code) => canMove(code) && !orderTo(code));
  const at = open.indexOf(state.selected);
  const next = open[(at + 1) % open.length];
  if (!next) return;
  state.mode = null;
  choose(next);
  shapes.get(next).focus({ preventScroll: true });
}

// Units and orders, as the last answer has them.

const unitIn = (code) => state.answer?.units.find((unit) => provinceOf(unit.location) === code);
const dislodgedIn = (code) => state.answer?.dislodged.find((unit) => provinceOf(unit.location) === code);
const orderTo = (code) => state.answer?.orders.find((order) => order.location && provinceOf(order.location) === code);
const named = (unit) => `${unit.type} ${unit.location}`;
const tool = () => document.querySelector("input[name=play-tool]:checked").value;

// The unit of a province that can be given a place to go to.

function canMove(code) {
  const phase = state.answer?.phase;
  return Boolean(phase === "movement" ? unitIn(code) : phase === "retreat" && dislodgedIn(code));
}

// Far from its unit, a province moves the map. Where a unit stands on a coast, the data do not say.

function isNearUnit(code, [x, y]) {
  const { at, coasts } = data.provinces[code];
  return Object.keys(coasts).length > 0 || Math.hypot(x - at[0], y - at[1]) < NEAR;
}

// Where the selected unit may go by its legal orders: a click there gives the order.

function selected(from) {
  const mode = { kind: "unit", from, targets: [] };
  mode.found = ask("targets", { ...state.asked, province: from }).then(({ targets = [] }) => {
    mode.targets = targets;
    if (state.mode === mode) nameProvinces();
  }, () => {});
  return mode;
}

// A click on a province waits for the answers that are on their way: what it does depends on them.

async function choose(code) {
  await running;
  const { mode } = state;
  await mode?.found;
  if (mode !== state.mode) return choose(code);
  if (mode?.kind === "move") moveTo(mode.from, code);
  else if (mode?.kind === "convoyed") moveTo(mode.from, code, " VIA");
  else if (mode?.kind === "support" || mode?.kind === "convoy") help(mode, code);
  else if (tool()) paint(code);
  else if (mode?.kind === "unit" && code !== mode.from && unitIn(code)) showChoices(mode.from, code);
  else if (mode?.targets?.includes(code)) moveTo(mode.from, code);
  else select(code);
}

function select(code) {
  state.selected = code;
  state.mode = canMove(code) ? selected(code) : null;
  showPanel();
  nameProvinces();
}

// What a unit can do about another one.

function showChoices(from, code) {
  const [unit, other] = [unitIn(from), unitIn(code)];
  if (!unit) return select(code); // A dislodged unit.
  const helper = { from, helped: code };
  const now = orderTo(code)?.text;
  offer(
    `${named(unit)} and ${named(other)}:`,
    button(`Move to ${placeName(code)}`, () => moveTo(from, code)),
    button("Support its hold", () => help({ kind: "support", ...helper }, code)),
    ...(now?.includes(" - ") ? [button(`Support ${now}`, () => order(unit, `${named(unit)} S ${now.replace(/ VIA$/, "")}`))] : []),
    button("Support its move …", () => begin("support", from, code)),
    ...(canConvoy(unit) && other.type === "A" ? [button("Convoy it …", () => begin("convoy", from, code))] : []),
    button(`Select ${placeName(code)}`, () => select(code)),
  );
  return undefined;
}

// Ask in the panel for one of some buttons.

function offer(question, ...buttons) {
  part("panel").replaceChildren(element("p", { textContent: question }), ...buttons);
  buttons[0].focus({ preventScroll: true });
}

const forCoasts = (coasts, give) => coasts.map((location) => button(placeName(location), () => give(location)));

// With a tool, a click changes what stands there.

function paint(code) {
  if (!state.answer || state.answer.phase !== "movement") {
    part("status").textContent = "Units are put on the board before movements only.";
    return;
  }
  if (tool() === "off") takeOff(code);
  else {
    const { terrain, coasts } = data.provinces[code];
    const type = terrain === "sea" ? "F" : terrain === "inland" ? "A" : tool();
    const put = (location) => place({ power: part("power").value, type, location });
    const found = type === "F" ? Object.keys(coasts) : [];
    if (found.length) offer(`A fleet in ${placeName(code)}: on which coast?`, ...forCoasts(found, put));
    else put(code);
  }
}

function deselect() {
  state.selected = state.mode = null;
}

function forget() {
  deselect();
  showPanel();
  nameProvinces();
}

// What was begun with a unit ends when the unit is gone: the text may be changed at any time.

function forgetMissing() {
  const { mode, answer } = state;
  if (!mode) return;
  const isThere = mode.kind === "unit" ? canMove(mode.from) : answer.phase === "movement" && unitIn(mode.from);
  if (!isThere || (mode.helped && !unitIn(mode.helped))) state.mode = null;
  else if (mode.kind === "unit") state.mode = selected(mode.from);
}

function moveTo(from, to, how = "") {
  state.mode = null;
  const movement = state.answer.phase === "movement";
  const unit = movement ? unitIn(from) : dislodgedIn(from);
  if (!unit) return;
  const coasts = unit.type === "F" ? Object.keys(data.provinces[to].coasts) : [];
  const give = (location) => order(unit, `${named(unit)} ${movement ? "-" : "R"} ${location}${how}`);
  if (coasts.length) askCoast(unit, to, coasts, give);
  else give(to);
}

function help(mode, code) {
  const helper = unitIn(mode.from);
  if (!mode.helped) {
    const helped = unitIn(code);
    if (helped) state.mode = { ...mode, helped: code };
    showPanel();
    return;
  }
  const helped = unitIn(mode.helped);
  state.mode = null;
  if (mode.kind === "support" && code === mode.helped) order(helper, `${named(helper)} S ${named(helped)}`);
  else order(helper, `${named(helper)} ${mode.kind === "support" ? "S" : "C"} ${named(helped)} - ${code}`);
}

function order(unit, text) {
  state.mode = null;
  const code = provinceOf(unit.location);
  const others = state.answer.orders.filter((each) => !each.location || provinceOf(each.location) !== code);
  write(state.answer.units, [...others, { ...unit, text }]);
}

function withoutOrder(code) {
  write(state.answer.units, state.answer.orders.filter((each) => !each.location || provinceOf(each.location) !== code));
}

function place(unit) {
  const code = provinceOf(unit.location);
  write([...state.answer.units.filter((each) => provinceOf(each.location) !== code), unit], state.answer.orders);
}

function takeOff(code) {
  write(
    state.answer.units.filter((each) => provinceOf(each.location) !== code),
    state.answer.orders.filter((each) => !each.location || provinceOf(each.location) !== code),
  );
}

function build(power, text, location = "") {
  const code = location && provinceOf(location);
  const others = state.answer.orders.filter((each) => !code || !each.location || provinceOf(each.location) !== code);
  write(state.answer.units, [...others, { power, location, text }]);
}

// From units and orders back to the text of the phase.

function write(units, orders) {
  if (state.answered !== link({ ...question(), ruleset: "" })) {
    part("status").textContent = "Nothing is changed: the text beside the board cannot be read, or is being read.";
    return;
  }
  const { phase, season, year, centers, parts } = state.answer;
  if (parts.later.length) {
    const text = orders.map((each) => `${powerName(each.power)}: ${each.text}\n`).join("");
    if (parts.later.length !== state.later.length) part("text").value = parts.text;
    setLater([...parts.later.slice(0, -1), { phase, text }]);
  } else {
    const lines = [`${season[0].toUpperCase()}${season.slice(1)} ${year}, ${phase}`];
    const powers = new Set([...units, ...orders].map(({ power }) => power));
    const unitsFirst = orders.some((each) => isMisnamed(each, units));
    const alone = unitsFirst || phase !== "movement" ? units : units.filter((unit) => !places(unit, orders));
    const texts = (power) => [
      ...(unitsFirst ? [] : orders).filter((each) => each.power === power).map((each) => owned(each, units) + each.text),
      ...alone.filter((unit) => unit.power === power).map(named),
    ];
    const unitLines = [...powers].flatMap((power) => ["", `${powerName(power)}:`, ...texts(power)]);
    if (unitsFirst) unitLines.push("", ...orders.map((each) => `${powerName(each.power)}: ${owned(each, units)}${each.text}`));
    const own = Object.entries(centers).filter(([, each]) => each.length);
    const centerLines = own.map(([power, each]) => `${powerName(power)}: ${each.join(", ")}`);
    lines.push(...unitLines, ...(own.length ? ["", "Supply centers", ...centerLines] : []));
    part("text").value = `${lines.join("\n")}\n`;
    setLater([]);
  }
  showPanel();
  askNow();
}

// An order places its unit only if it calls it what it is; otherwise all units have to stand before the orders.

const places = (unit, orders) =>
  orders.some((each) => each.power === unit.power && each.type === unit.type && each.location === unit.location);
const ordered = ({ location }, units) => location && units.find((each) => provinceOf(each.location) === provinceOf(location));

function isMisnamed(order, units) {
  const unit = ordered(order, units);
  return unit && (unit.type !== order.type || unit.location !== order.location);
}

function owned(order, units) {
  const unit = ordered(order, units);
  return unit && !order.owner && unit.power !== order.power ? `${powerName(unit.power)} ` : "";
}

// What can be done with the province that is selected.

const button = (text, action) =>
  element("button", {
    type: "button",
    textContent: text,
    onclick: async () => {
      await running;
      action();
      if (state.selected && !state.mode) shapes.get(state.selected).focus({ preventScroll: true });
    },
  });

function begin(kind, from, helped) {
  state.mode = { kind, from, helped };
  showPanel();
  nameProvinces();
  shapes.get(from).focus({ preventScroll: true });
}

function askCoast(unit, to, coasts, give) {
  state.selected = to;
  offer(`${named(unit)} to ${placeName(to)}: which coast?`, ...forCoasts(coasts, give), button("No coast", () => give(to)));
}

function showPanel() {
  const { mode, selected } = state;
  const panel = part("panel");
  if (!state.answer || (!selected && !mode)) {
    panel.replaceChildren(
      element("p", {}, "Select a unit, then where it goes or whom it helps; or drag it there.",
        element("span", { className: "play-keys", textContent: " Keys: arrows and Enter, n for the next unit, Escape, + and −." })),
    );
  } else if (mode && mode.kind !== "unit") {
    const helper = named(unitIn(mode.from));
    const said = {
      move: `${helper}: select where it moves.`,
      convoyed: `${helper}: select where fleets take it.`,
      support: mode.helped
        ? `${helper}: select where ${named(unitIn(mode.helped))} moves, or that unit again if it holds.`
        : `${helper}: select the unit that it supports.`,
      convoy: mode.helped ? `${helper}: select where the army goes.` : `${helper}: select the army that it convoys.`,
    }[mode.kind];
    panel.replaceChildren(element("p", { textContent: said }), button("Cancel", () => { state.mode = null; showPanel(); }));
    part("status").textContent = said;
  } else {
    panel.replaceChildren(element("p", { textContent: shapes.get(selected).getAttribute("aria-label") }), ...actions(selected));
  }
}

const canConvoy = (unit) => unit.type === "F" && data.provinces[provinceOf(unit.location)].terrain === "sea";

function actions(code) {
  const { phase } = state.answer;
  if (phase === "retreat") return retreatActions(code);
  if (phase === "adjustment") return adjustmentActions(code);
  const unit = unitIn(code);
  if (!unit) return placeActions(code, "Put", (type, location) => place({ power: part("power").value, type, location }));
  const found = [
    button("Hold", () => order(unit, `${named(unit)} H`)),
    button("Move …", () => begin("move", code)),
    ...(unit.type === "A" && data.provinces[code].terrain === "coastal"
      ? [button("Move by convoy …", () => begin("convoyed", code))]
      : []),
    button("Support …", () => begin("support", code)),
  ];
  if (canConvoy(unit)) found.push(button("Convoy …", () => begin("convoy", code)));
  if (orderTo(code)) found.push(button("No order", () => withoutOrder(code)));
  found.push(button("Take it off the board", () => takeOff(code)));
  return found;
}

function placeActions(code, verb, action) {
  const { terrain, coasts } = data.provinces[code];
  const power = powerName(part("power").value);
  const found = [];
  if (terrain !== "sea") found.push(button(`${verb} an army of ${power}`, () => action("A", code)));
  const fleets = Object.keys(coasts).length ? Object.keys(coasts) : [code];
  if (terrain !== "inland") {
    for (const location of fleets) {
      const where = location === code ? "" : `, ${placeName(location)}`;
      found.push(button(`${verb} a fleet of ${power}${where}`, () => action("F", location)));
    }
  }
  return found;
}

function retreatActions(code) {
  const unit = dislodgedIn(code);
  if (!unit) return [];
  const open = (unit.retreats ?? []).map((to) =>
    button(`Retreat to ${placeName(to)}`, () => order(unit, `${named(unit)} R ${to}`)),
  );
  return [...open, button("Disband", () => order(unit, `${named(unit)} D`))];
}

function adjustmentActions(code) {
  const unit = unitIn(code);
  if (unit) return [button("Remove", () => build(unit.power, `${named(unit)} D`, unit.location))];
  const power = part("power").value;
  const found = placeActions(code, "Build", (type, location) => build(power, `${type} ${location} B`, location));
  return [...found, button(`Waive a build of ${powerName(power)}`, () => build(power, "WAIVE"))];
}

// The phases after the first one.

function setLater(later) {
  state.later = later;
  showLater();
}

function showLater() {
  const fields = state.later.map((each, index) => {
    const id = `play-later-${index}`;
    const title = each.phase === "retreat" ? "Retreats" : "Builds and removals";
    const field = element("textarea", { id, rows: 5, value: each.text, spellcheck: false });
    field.addEventListener("input", () => {
      each.text = field.value;
      askSoon();
    });
    return [element("p", {}, element("label", { htmlFor: id, textContent: title })), field];
  });
  part("later").replaceChildren(...fields.flat());
}

function goOn() {
  const { next } = state.answer;
  const { text, later } = question();
  if (next.phase !== "movement") return setQuestion({ text, later: [...later, { phase: next.phase, text: "" }] });
  state.before.push({ text, later });
  return setQuestion({ text: next.text, later: [] });
}

// Back to the phase before: only from movements to those before them does the text change.

function goBack() {
  const { text, later } = question();
  return setQuestion(later.length ? { text, later: later.slice(0, -1) } : state.before.pop());
}

async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    part("status").textContent = said;
  } catch {
    part("status").textContent = "This browser does not let the page copy: select the text and copy it.";
  }
}

function setText(text) {
  state.before = [];
  return setQuestion({ text, later: [] });
}

function begun() {
  for (const [code, name] of Object.entries(data.powers)) part("power").append(element("option", { value: code, textContent: name }));
  makeProvinces();
  showPanel();
  part("text").addEventListener("input", askSoon);
  part("ruleset").addEventListener("change", askNow);
  part("power").addEventListener("change", showPanel);
  for (const choice of document.querySelectorAll("input[name=play-shown]")) choice.addEventListener("change", drawBoard);
  part("next").addEventListener("click", goOn);
  part("back").addEventListener("click", goBack);
  part("start").addEventListener("click", () => setText(data.start));
  part("empty").addEventListener("click", () => setText(""));
  part("compare").addEventListener("click", () => part("each").scrollIntoView());
  part("undo").addEventListener("click", () => goTo(state.done, state.undone));
  part("redo").addEventListener("click", () => goTo(state.undone, state.done));
  part("in").addEventListener("click", () => view.zoom(true));
  part("out").addEventListener("click", () => view.zoom(false));
  part("fit").addEventListener("click", fitUnits);
  part("whole").addEventListener("click", view.whole);
  for (const choice of document.querySelectorAll("input[name=play-tool]")) choice.addEventListener("change", forget);
  part("format").addEventListener("change", showPost);
  part("picture").addEventListener("click", savePicture);
  part("link").addEventListener("click", () => copy(new URL(link(question()), location.href).href, "The link is copied."));
  for (const each of page.querySelectorAll("[data-copy]")) {
    each.addEventListener("click", () => copy(document.getElementById(each.dataset.copy).textContent, "It is copied."));
  }
  window.addEventListener("hashchange", openLink);
  openLink();
}

begun();
