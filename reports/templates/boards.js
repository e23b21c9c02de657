
// Boards of cases that passed: a JSON list, gzip, base64. It is unpacked when the first of them is opened.
let unpacked = null;
const unpack = async () => {
  const bytes = Uint8Array.from(atob(one("[data-packed]").content.textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
const prepareBoards = async (within) => {
  const places = all(".packed", within);
  if (places.length) {
    for (const place of places) place.textContent = "";
    try {
      const boards = await (unpacked ??= unpack());
      for (const place of places) place.outerHTML = boards[place.dataset.board];
    } catch {
      for (const place of places) place.textContent = "This browser is too old to unpack this board.";
    }
  }
  for (const board of all("svg[role=img]", within)) board.tabIndex = 0;
};

// Boards: an order with what it touches lit up, and a board as large as the window allows.
(() => {
  // One order, what it helps and what helps it: lit up by a pointer on it or on its line in the table, or by the arrow keys.
  const light = (board, code) => {
    const drawn = all(":scope > g[data-p]", board);
    const touched = new Set(drawn.filter((one) => one.dataset.p === code).flatMap((one) => [code, one.dataset.h]));
    board.classList.toggle("lit", touched.size > 0);
    for (const each of drawn) {
      each.classList.toggle("on", touched.has(each.dataset.p) || (touched.size > 0 && each.dataset.h === code));
    }
  };
  const lightAt = (place) => {
    const found = place.closest?.(".dm > g[data-p], .orders tr[data-p]");
    const phase = place.closest?.(".phase");
    if (!phase) return;
    for (const board of all("svg[role=img]", phase)) light(board, found?.dataset.p);
    for (const row of all(".orders tr[data-p]", phase)) row.classList.toggle("on", row.dataset.p === found?.dataset.p);
  };
  // A click beside the orders shows the board as large as the window allows.
  const enlarge = (board) => {
    const dialog = document.createElement("dialog");
    dialog.className = "enlarged";
    dialog.setAttribute("aria-label", one("title", board).textContent);
    const large = dialog.appendChild(board.cloneNode(true));
    for (const named of all("[id]", large)) named.removeAttribute("id");
    large.removeAttribute("aria-labelledby");
    large.setAttribute("aria-label", dialog.getAttribute("aria-label"));
    large.style.setProperty("--wide", board.viewBox.baseVal.width / board.viewBox.baseVal.height);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => { dialog.remove(); board.focus(); });
    document.body.append(dialog);
    dialog.showModal();
  };
  document.addEventListener("click", (event) => {
    const board = event.target.closest?.(".phase svg[role=img]");
    if (board && !event.target.closest("g[data-p]")) enlarge(board);
  });
  for (const name of ["pointerover", "click"]) document.addEventListener(name, (event) => lightAt(event.target));
  document.addEventListener("pointerout", (event) => {
    if (!event.relatedTarget?.closest?.(".phase")) lightAt(event.target.closest?.(".phase") ?? event.target);
  });
  document.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!event.target.matches?.(".phase svg[role=img]")) return;
    if (event.key === "Enter") enlarge(event.target);
    if (!step) return;
    const codes = [...new Set(all(":scope > g[data-p]", event.target).map((one) => one.dataset.p))];
    const at = codes.indexOf(event.target.dataset.at);
    event.target.dataset.at = codes[(at + step + codes.length) % codes.length] ?? "";
    light(event.target, event.target.dataset.at);
    event.preventDefault();
  });
})();
