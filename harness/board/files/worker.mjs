// Runs the reference engine in Pyodide, beside the page: each message is a question, each answer has its number.
import { loadPyodide } from "./pyodide.mjs";

const INDEX = new URL("./", import.meta.url).href;
const KEPT = "datc-check-play"; // as in offline.js
const MEMORY = new URL("memory", INDEX).href; // the engine once it has started: kept here, on no server
const ENTRY = "datc.harness.board.play_api";
const PROGRAM = ".wasm"; // packed with gzip, whatever the server does

// What is loaded is counted for the page, and a file that is not there is an error, not what stands in its place.

let loaded = 0;
const load = self.fetch.bind(self);

self.fetch = async (resource, options) => {
  const address = String(resource.url ?? resource);
  const isProgram = address.endsWith(PROGRAM);
  const response = await load(isProgram ? `${address}.packed` : resource, options);
  if (!response.ok) throw new Error(`the server has no ${new URL(response.url).pathname} (HTTP ${response.status})`);
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  const content = response.body.pipeThrough(counter);
  if (!isProgram) return new Response(content, { headers: response.headers });
  const headers = { "Content-Type": "application/wasm" };
  return new Response(content.pipeThrough(new DecompressionStream("gzip")), { headers });
};

// Python takes seconds to start and to read its modules. Its memory with all of them is kept, for the next time.

async function start() {
  const kept = await self.caches?.open(KEPT).catch(() => undefined);
  const archive = fetch(new URL("datc.zip", INDEX)).then((response) => response.arrayBuffer());
  archive.catch(() => {}); // It is awaited below, unless something else fails first.
  const memory = await kept?.match(MEMORY);
  if (memory) {
    try {
      const unpacked = new Response(memory.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
      return prepare(await loadPyodide({ indexURL: INDEX, _loadSnapshot: unpacked }), await archive);
    } catch {
      await kept.delete(MEMORY);
    }
  }
  return prepare(await loadPyodide({ indexURL: INDEX, _makeSnapshot: Boolean(kept) }), await archive, kept);
}

function prepare(pyodide, archive, kept) {
  pyodide.unpackArchive(archive, "zip", { extractDir: "/datc" });
  pyodide.runPython(`import sys; sys.path.insert(0, "/datc"); import ${ENTRY}`);
  if (kept) {
    const packed = new Blob([pyodide.makeMemorySnapshot()]).stream().pipeThrough(new CompressionStream("gzip"));
    kept.put(MEMORY, new Response(packed)).catch(() => {}); // There may be no room for it.
  }
  return pyodide.pyimport(ENTRY);
}

const said = (error) => (error instanceof Error ? error.message.trim().split("\n").pop() : String(error));
const engine = start();

self.onmessage = async ({ data: { id, kind, question } }) => {
  try {
    self.postMessage({ id, answer: JSON.parse((await engine).answer_in_browser(kind, JSON.stringify(question))) });
  } catch (error) {
    self.postMessage({ id, failed: said(error) });
  }
};
engine.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: said(error) }));
