// Runs the reference engine in Pyodide, beside the page: each message is a question, each answer has its number.
import { loadPyodide } from "./pyodide/pyodide.mjs";

// What is loaded is counted for the page, and a file that is not there is an error, not what stands in its place.

let loaded = 0;
const load = self.fetch.bind(self);

self.fetch = async (...request) => {
  const response = await load(...request);
  if (!response.ok) throw new Error(`the server has no ${new URL(response.url).pathname} (HTTP ${response.status})`);
  const counter = new TransformStream({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      self.postMessage({ loaded });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: response.headers });
};

async function start() {
  const [pyodide, archive] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    fetch(new URL("./datc.zip", import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  pyodide.unpackArchive(archive, "zip", { extractDir: "/datc" });
  pyodide.runPython("import sys; sys.path.insert(0, '/datc')");
  return pyodide.pyimport("datc.harness.board.play_api");
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
