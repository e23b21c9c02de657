// Runs the reference engine in Pyodide, beside the page: each message is a question, each answer has its number.

const INDEX = new URL("./", import.meta.url).href;
const MEMORY = new URL("memory", INDEX).href; // the engine once it has answered: kept here, on no server
const PROGRAM = new URL("pyodide.asm.wasm", INDEX).href; // kept, too; the server has it packed, whatever else it packs
const ENTRY = "datc.harness.board.play_api";
const kept = self.caches?.open("datc-check-play").catch(() => undefined); // as in offline.js

// What is loaded is counted for the page, and a file that is not there is an error, not what stands in its place. What is kept
// comes as it is, so that the browser keeps the machine code that it makes of the program, too.

let isKept = false;
let loaded = 0;
const load = self.fetch.bind(self);

self.fetch = async (resource, options) => {
  const isProgram = String(resource.url ?? resource) === PROGRAM;
  const whole = isKept && (await load(resource, options));
  if (whole.ok) return whole;
  const response = await load(isProgram ? `${PROGRAM}.packed` : resource, options);
  if (!response.ok) throw new Error(`the server has no ${new URL(response.url).pathname} (HTTP ${response.status})`);
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  const content = response.body.pipeThrough(counter);
  return isProgram ? unpack(content) : new Response(content, { headers: response.headers });
};

const unpack = (content) =>
  new Response(content.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });

// Python takes seconds to start, and to read its modules and their data. Its memory is kept when it has answered, so that the
// next time it needs nothing of the archive.

let keep;

async function start() {
  const loading = import("./pyodide.mjs");
  import("./pyodide.asm.mjs").catch(() => {}); // Pyodide imports it, too: it is loaded now, beside the others.
  const memory = await (await kept)?.match(MEMORY);
  const { loadPyodide } = await loading;
  if (memory) {
    try {
      isKept = true;
      return (await loadPyodide({ indexURL: INDEX, _loadSnapshot: memory.arrayBuffer() })).pyimport(ENTRY);
    } catch {
      isKept = false;
      await forget();
    }
  }
  const archive = fetch(new URL("datc.zip", INDEX)).then((response) => response.arrayBuffer());
  archive.catch(() => {}); // It is awaited below, unless something else fails first.
  const pyodide = await loadPyodide({ indexURL: INDEX, _makeSnapshot: true });
  pyodide.unpackArchive(await archive, "zip", { extractDir: "/datc" });
  pyodide.runPython(`import sys; sys.path.insert(0, "/datc")`);
  keep = async (cache) => {
    await cache.put(PROGRAM, unpack((await load(`${PROGRAM}.packed`)).body));
    await cache.put(MEMORY, new Response(pyodide.makeMemorySnapshot()));
  };
  return pyodide.pyimport(ENTRY);
}

const forget = async () => (await kept)?.delete(MEMORY);
const said = (error) => (error instanceof Error ? error.message.trim().split("\n").pop() : String(error));
const engine = start();

self.onmessage = async ({ data: { id, kind, question } }) => {
  try {
    self.postMessage({ id, answer: JSON.parse((await engine).answer_in_browser(kind, JSON.stringify(question))) });
    if (kind === "boards") { // the last of what it does for a position
      keep && (await kept) && keep(await kept).catch(() => {}); // There may be no room for it.
      keep = undefined;
    }
  } catch (error) {
    self.postMessage({ id, failed: said(error) });
    await forget();
  }
};
engine.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: said(error) }));
