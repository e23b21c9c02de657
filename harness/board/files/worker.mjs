// Runs the reference engine in Pyodide, beside the page: each message is a question, each answer has its number.
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function start() {
  const [pyodide, archive] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    fetch(new URL("./datc.zip", import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  pyodide.unpackArchive(archive, "zip", { extractDir: "/datc" });
  pyodide.runPython("import sys; sys.path.insert(0, '/datc')");
  return pyodide.pyimport("datc.harness.board.play_api");
}

const engine = start();

self.onmessage = async ({ data: { id, kind, question } }) => {
  try {
    self.postMessage({ id, answer: JSON.parse((await engine).answer_in_browser(kind, JSON.stringify(question))) });
  } catch (error) {
    self.postMessage({ id, failed: String(error) });
  }
};
engine.then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: String(error) }));
