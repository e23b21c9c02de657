// Runs the reference engine in Pyodide, beside the page: each message is a question, each answer has its number.

const INDEX = new URL("./", import.meta.url).href;
const MEMORY = new URL("memory", INDEX).href; // the engine once it has answered: kept here, on no server
const PROGRAM = new URL("pyodide.asm.wasm", INDEX).href; // kept, too; the server has it packed, whatever else it packs
const ENTRY = "datc.harness.board.play_api";
const kept = self.caches?.open("datc-check-play").catch(() => undefined); // as in offline.js

// What is loaded is counted for the page, and a file that is not there is an error, not what stands in its place.

let isKept = false;
let loaded = 0;
const load = self.fetch.bind(self);

self.fetch = (resource, options) => (String(resource.url ?? resource) === PROGRAM ? program() : counted(resource, options));

async function counted(resource, options) {
  const response = await load(resource, options);
  if (!response.ok) throw new Error(`the server has no ${new URL(response.url).pathname} (HTTP ${response.status})`);
  if (isKept) return response;
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: response.headers });
}

// A browser keeps the machine code that it makes of a program, too, if it gets the program as it is kept, from offline.js.

async function program() {
  const cache = await kept;
  try {
    if (!(await cache.match(PROGRAM))) await cache.put(PROGRAM, await unpacked());
    const response = await load(PROGRAM);
    if (response.ok) return response;
  } catch {} // There may be no room for it, or nothing that keeps.
  return unpacked();
}

async function unpacked() {
  const packed = await counted(`${PROGRAM}.packed`);
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
}

// Python takes seconds to start, and to read its modules and their data. Its memory is kept when it has answered, so that the
// next time it needs nothing of the archive. It stays when a start fails: that may be because the page is left.

let keep;
let room = 0; // bytes that a memory needs: Pyodide puts one back without making room for it
let lose; // what says why there is no program: Pyodide would wait for it for ever

const { instantiateStreaming } = WebAssembly;

WebAssembly.instantiateStreaming = async (...program) => {
  try {
    const made = await instantiateStreaming(...program);
    const { memory } = made.instance.exports;
    memory.grow(Math.max(0, Math.ceil(((await room) - memory.buffer.byteLength) / 65536))); // pages
    return made;
  } catch (error) {
    lose(error);
    throw error;
  }
};

function pyodide(load, options) {
  const lost = new Promise((_, reject) => { lose = reject; });
  return Promise.race([load({ indexURL: INDEX, ...options }), lost]);
}

async function start() {
  const loading = import("./pyodide.mjs");
  import("./pyodide.asm.mjs").catch(() => {}); // Pyodide imports it, too: it is loaded now, beside the others.
  const cache = await kept;
  const memory = await cache?.match(MEMORY);
  const { loadPyodide } = await loading;
  if (memory) {
    try {
      isKept = true;
      const bytes = memory.arrayBuffer();
      room = bytes.then(({ byteLength }) => byteLength);
      return (await pyodide(loadPyodide, { _loadSnapshot: bytes })).pyimport(ENTRY);
    } catch {
      room = 0;
      isKept = Boolean(await cache.match(PROGRAM)); // What is not kept is loaded and counted again.
    }
  }
  const archive = fetch(new URL("datc.zip", INDEX)).then((response) => response.arrayBuffer());
  archive.catch(() => {}); // It is awaited below, unless something else fails first.
  const python = await pyodide(loadPyodide, { _makeSnapshot: Boolean(cache) });
  python.unpackArchive(await archive, "zip", { extractDir: "/datc" });
  python.runPython(`import sys; sys.path.insert(0, "/datc")`);
  keep = async () => cache?.put(MEMORY, new Response(python.makeMemorySnapshot()));
  return python.pyimport(ENTRY);
}

const said = (error) => (error instanceof Error ? error.message.trim().split("\n").pop() : String(error));
const engine = start();

self.onmessage = async ({ data: { id, kind, question } }) => {
  try {
    const { answer_in_browser: answer } = await engine;
    try {
      self.postMessage({ id, answer: JSON.parse(answer(kind, JSON.stringify(question))) });
    } catch (error) {
      await (await kept)?.delete(MEMORY); // It may be why.
      throw error;
    }
    if (kind === "boards") { // the last of what it does for a position
      keep?.().catch(() => {}); // There may be no room for it.
      keep = null;
    }
  } catch (error) {
    self.postMessage({ id, failed: said(error) });
  }
};
engine.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: said(error) }));
