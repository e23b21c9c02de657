// The part of the map that is seen, the same in all drawings of the room. Wheel, pinch, drag and buttons change it.

const SMALLEST_NAME = 12; // units of the map: the size of the smallest text on it
const LEGIBLE = 11; // pixels
const UNIT_LETTER = 14; // units of the map
const LEAST_SCALE = LEGIBLE / UNIT_LETTER; // pixels a unit of the map: so small the map is shown unasked
const LARGEST_NAMES = UNIT_LETTER / SMALLEST_NAME; // names grow as the map gets smaller; larger ones would cover each other
const FIT_SCALE = 1.5; // so that what is around a few units is seen, too
const MOST_SCALE = 4;
const STEP = 1.3; // of a button, or a notch of the wheel
const STILL = 5; // pixels that a pointer may move in a click

const clamp = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most));

// `on` has what the pointers do to provinces: `canDrag(code, point)`, `tap(code)`, `drag(from, point, over)`, `drop(from, to)`.
export function makeView(room, viewBox, on) {
  const [left, top, width, height] = viewBox.split(" ").map(Number);
  const view = { x: left + width / 2, y: top + height / 2, scale: 0 };
  const pointers = new Map();
  let held = null; // what was done with the pointer so far

  const wholeScale = () => Math.min(room.clientWidth / width, room.clientHeight / height);

  function set(x, y, scale) {
    view.scale = clamp(scale, wholeScale(), MOST_SCALE);
    const [wide, high] = [room.clientWidth / view.scale, room.clientHeight / view.scale];
    view.x = wide >= width ? left + width / 2 : clamp(x, left + wide / 2, left + width - wide / 2);
    view.y = high >= height ? top + height / 2 : clamp(y, top + high / 2, top + height - high / 2);
    show();
  }

  function show() {
    const [wide, high] = [room.clientWidth / view.scale, room.clientHeight / view.scale];
    for (const drawing of room.querySelectorAll(":scope > svg")) {
      drawing.setAttribute("viewBox", `${view.x - wide / 2} ${view.y - high / 2} ${wide} ${high}`);
    }
    room.style.setProperty("--play-names", clamp(LEGIBLE / SMALLEST_NAME / view.scale, 1, LARGEST_NAMES));
  }

  function pointAt({ clientX, clientY }) {
    const { left: x, top: y } = room.getBoundingClientRect();
    return [
      view.x + (clientX - x - room.clientLeft - room.clientWidth / 2) / view.scale,
      view.y + (clientY - y - room.clientTop - room.clientHeight / 2) / view.scale,
    ];
  }

  const sees = ([x, y]) =>
    Math.abs(x - view.x) * view.scale <= room.clientWidth / 2 && Math.abs(y - view.y) * view.scale <= room.clientHeight / 2;

  // The point of the map that is under the pointer stays there.
  function zoomAt([x, y], factor) {
    const scale = clamp(view.scale * factor, wholeScale(), MOST_SCALE);
    const kept = view.scale / scale;
    set(x + (view.x - x) * kept, y + (view.y - y) * kept, scale);
  }

  // Show these points, as large as the room allows, and never so small that the names cannot be read.
  function fit(points, margin) {
    if (!points.length) return set(left + width / 2, top + height / 2, LEAST_SCALE);
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const fitting = Math.min(room.clientWidth / (east - west + 2 * margin), room.clientHeight / (south - north + 2 * margin));
    return set((west + east) / 2, (north + south) / 2, clamp(fitting, LEAST_SCALE, FIT_SCALE));
  }

  const provinceAt = ({ clientX, clientY }) =>
    document.elementFromPoint(clientX, clientY)?.closest?.("[data-province]")?.dataset.province ?? null;

  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { distance: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1,
      middle: { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2 } };
  };

  function onDown(event) {
    if (event.target.closest("button")) return;
    pointers.set(event.pointerId, event);
    const from = provinceAt(event);
    held = pointers.size > 1
      ? { kind: "pinch", ...spread() }
      : { kind: "click", event, from, unit: from !== null && on.canDrag(from, pointAt(event)), x: view.x, y: view.y };
  }

  function onMove(event) {
    if (!held || !pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, event);
    if (held.kind === "pinch") {
      if (pointers.size < 2) return;
      const now = spread();
      const [was, is] = [pointAt(held.middle), pointAt(now.middle)];
      set(view.x + was[0] - is[0], view.y + was[1] - is[1], view.scale);
      zoomAt(pointAt(now.middle), now.distance / held.distance);
      held = { kind: "pinch", ...now };
      return;
    }
    const [right, down] = [event.clientX - held.event.clientX, event.clientY - held.event.clientY];
    if (held.kind === "click" && Math.hypot(right, down) > STILL) {
      held.kind = held.unit ? "drag" : "pan";
      room.setPointerCapture(event.pointerId);
    }
    if (held.kind === "pan") set(held.x - right / view.scale, held.y - down / view.scale, view.scale);
    else if (held.kind === "drag") on.drag(held.from, pointAt(event), provinceAt(event));
  }

  function onUp(event) {
    pointers.delete(event.pointerId);
    if (!held || pointers.size) return;
    const { kind, from } = held;
    held = null;
    const to = provinceAt(event);
    if (kind === "drag") on.drop(from, event.type === "pointerup" ? to : null);
    else if (kind === "click" && to && event.type === "pointerup") on.tap(to);
  }

  room.addEventListener("pointerdown", onDown);
  room.addEventListener("pointermove", onMove);
  room.addEventListener("pointerup", onUp);
  room.addEventListener("pointercancel", onUp);
  room.addEventListener("wheel", (event) => {
    const factor = event.deltaY < 0 ? STEP : 1 / STEP;
    if (clamp(view.scale * factor, wholeScale(), MOST_SCALE) === view.scale) return; // The page scrolls on.
    event.preventDefault();
    zoomAt(pointAt(event), factor);
  }, { passive: false });
  new ResizeObserver(() => set(view.x, view.y, view.scale || LEAST_SCALE)).observe(room);

  return {
    fit,
    show,
    sees,
    whole: () => set(left + width / 2, top + height / 2, 0),
    zoom: (closer) => zoomAt([view.x, view.y], closer ? STEP : 1 / STEP),
  };
}
