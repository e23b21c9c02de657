
// The cases: a list on the left and the chosen case on the right, or all below each other where there is no room.
(() => {
  const results = one("[data-results]");
  if (!results) return;
  const filter = one("[data-filter]", results);
  const pane = one("[data-pane]", results);
  const entries = all("article.case", results).map((article) => ({
    article,
    details: one("details", article),
    summary: one("summary", article),
    body: one(".body", article),
    html: one("noscript", article).textContent,
    id: one(".id", article).textContent.toLowerCase(),
    verdict: article.dataset.verdict,
    section: article.dataset.section,
    issues: article.dataset.issues.split(" "),
    hasRightBoard: "rightBoard" in article.dataset,
    fold: article.closest(".folded"),
    text: null,
    filled: false,
  }));
  const groups = all("[data-group]", results);

  // The inside of a case is text until the case is opened: hundreds of boards would take seconds to read.
  const fill = (entry) => {
    if (entry.filled) return;
    entry.filled = true;
    entry.body.innerHTML = entry.html;
    prepareBoards(entry.body);
    for (const button of all(".copy", entry.body)) button.hidden = !navigator.clipboard;
  };
  const isListed = (entry) => !entry.article.hidden && (entry.fold?.open ?? true);

  // The chosen case.
  const roomForTwo = matchMedia("screen and (min-width: 64rem)");
  let chosen = null;
  let isStacked = false;
  let isPrinting = false;
  const isSplit = () => results.classList.contains("split");
  const titleOf = (entry) => {
    const title = document.createElement("h4");
    title.append(...one("h4", entry.summary).cloneNode(true).childNodes);
    const heading = document.createElement("div");
    heading.className = "chosen-title";
    heading.append(title, ...[...entry.summary.children].slice(1).map((element) => element.cloneNode(true)));
    return heading;
  };
  const putBack = () => {
    if (!chosen) return;
    chosen.details.append(chosen.body);
    chosen.summary.removeAttribute("aria-current");
    pane.replaceChildren();
  };
  // Scrolls the list alone, past the heading that sticks to its top: the page stays where it is.
  const showInList = (line) => {
    const list = one(".groups", results);
    const [box, at] = [list.getBoundingClientRect(), line.getBoundingClientRect()];
    const heading = 36;
    if (at.top < box.top + heading) list.scrollTop += at.top - box.top - heading;
    else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom;
  };
  const choose = (entry) => {
    if (entry && entry === chosen && pane.contains(entry.body)) return;
    putBack();
    if (chosen) chosen.details.open = false;
    chosen = entry ?? null;
    if (!entry) return;
    fill(entry);
    if (entry.fold) entry.fold.open = true;
    pane.replaceChildren(titleOf(entry), entry.body);
    entry.details.open = true;
    entry.summary.setAttribute("aria-current", "true");
    showInList(entry.summary);
  };
  const showTop = () => { if (pane.getBoundingClientRect().top < 0) results.scrollIntoView(); };
  const open = (entry) => {
    if (isSplit()) { choose(entry); return; }
    fill(entry);
    if (entry.fold) entry.fold.open = true;
    entry.details.open = true;
  };
  const arrange = () => {
    const split = roomForTwo.matches && !isStacked && !isPrinting;
    if (split === isSplit()) return;
    results.classList.toggle("split", split);
    pane.hidden = !split;
    if (split) {
      for (const { details } of entries) details.open = false;
      choose(chosen ?? entries.find((entry) => !entry.article.hidden));
    } else putBack();
  };
  roomForTwo.addEventListener("change", arrange);

  // On paper: what did not pass with its boards, and a list of what passed.
  let opened = [];
  addEventListener("beforeprint", () => {
    isPrinting = true;
    opened = all("details", results).filter((details) => details.open);
    arrange();
    for (const fold of all(".folded", results)) fold.open = true;
    for (const entry of entries) {
      if (!entry.fold && !entry.article.hidden) { fill(entry); entry.details.open = true; }
    }
  });
  addEventListener("afterprint", () => {
    isPrinting = false;
    for (const details of all("details", results)) details.open = opened.includes(details);
    arrange();
  });

  // The filter. Its state is what the address says after "#?".
  const buttons = all("button[data-verdict]", filter);
  const [section, issue, text] = ["[data-section]", "[data-issue]", "[data-text]"].map((name) => one(name, filter));
  const wrongBoard = one("[data-wrong-board]", filter);
  const isPressed = (button) => button?.getAttribute("aria-pressed") === "true";
  const press = (button, pressed) => button?.setAttribute("aria-pressed", String(pressed));
  const shown = one("[data-shown]", filter);
  const reset = one("[data-reset]", filter);
  // A request names every choice of the rules, whatever the case is about.
  const notSearched = ".packed, .message, .messages-note, .next, .copies, button";
  const wordsIn = (html) => {
    const { body } = new DOMParser().parseFromString(html.replace(/<svg[^]*?<\/svg>/g, " "), "text/html");
    for (const element of all(notSearched, body)) element.remove();
    return body.textContent;
  };
  const wordsOf = (entry) => (entry.text ??= `${entry.summary.textContent} ${wordsIn(entry.html)}`.toLowerCase().replace(/\s+/g, " "));
  const filterState = () => {
    const state = new URLSearchParams();
    const verdicts = buttons.filter(isPressed).map((button) => button.dataset.verdict);
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (verdicts.length) state.set("verdict", verdicts.join(","));
    if (isPressed(wrongBoard)) state.set("board", "wrong");
    if (section.value) state.set("section", section.value);
    if (issue.value) state.set("issue", issue.value);
    if (words.length) state.set("text", words.join(" "));
    return { state, verdicts, words };
  };
  const apply = () => {
    const { state, verdicts, words } = filterState();
    // Who types the whole id of a case means that case, not those whose text begins so.
    const isId = words.length === 1 && entries.some((entry) => entry.id === words[0]);
    const hasWords = (entry) => (isId ? entry.id === words[0] : words.every((word) => wordsOf(entry).includes(word)));
    for (const entry of entries) {
      entry.article.hidden = !((!section.value || entry.section === section.value)
        && (!verdicts.length || verdicts.includes(entry.verdict))
        && !(isPressed(wrongBoard) && entry.hasRightBoard)
        && (!issue.value || entry.issues.includes(issue.value))
        && hasWords(entry));
    }
    const left = entries.filter((entry) => !entry.article.hidden);
    for (const group of groups) {
      group.hidden = !left.some((entry) => group.contains(entry.article));
      const fold = one(".folded", group);
      if (fold && !group.hidden && [...state].length) fold.open = true;
    }
    shown.textContent = `${left.length} of ${entries.length} cases shown`;
    reset.hidden = ![...state].length;
    if (isSplit() && !left.includes(chosen)) choose(left[0]);
    return [...state].length ? `#?${state}` : "";
  };
  const setAddress = (hash) => {
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
  };
  const remember = () => setAddress(apply());
  const set = (state) => {
    const verdicts = (state.get("verdict") ?? "").split(",");
    for (const button of buttons) press(button, verdicts.includes(button.dataset.verdict));
    press(wrongBoard, state.get("board") === "wrong");
    section.value = state.get("section") ?? "";
    issue.value = state.get("issue") ?? "";
    for (const select of [section, issue]) if (select.selectedIndex < 0) select.value = "";
    text.value = state.get("text") ?? "";
  };
  // The address names the chosen case, unless it has the filter.
  const pick = (entry) => {
    open(entry);
    if (![...filterState().state].length) setAddress(`#${encodeURIComponent(entry.body.id)}`);
    showTop();
  };

  // A link to a case, or to an issue, shows and opens it, whatever the filter has; one to a kind of case filters for it.
  const scrollTo = (place, times) => {
    // What is above it gets its real height only when it comes near: so once more, and once more.
    place.scrollIntoView();
    if (times) requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(place, times - 1)));
  };
  const showFiltered = (state) => {
    set(state);
    remember();
    results.scrollIntoView();
  };
  const follow = () => {
    const hash = location.hash;
    if (hash.startsWith("#?")) { showFiltered(new URLSearchParams(hash.slice(2))); return; }
    let target = null;
    try { target = document.getElementById(decodeURIComponent(hash.slice(1))); } catch { /* no such place */ }
    if (!target) return;
    const group = target.closest("[data-group]");
    const entry = entries.find(({ article, body }) => article.contains(target) || body.contains(target));
    if (entry) {
      if (entry.article.hidden) { set(new URLSearchParams()); apply(); }
      open(entry);
      scrollTo(isSplit() ? results : entry.article, 3);
    } else if (group) showFiltered(new URLSearchParams({ verdict: group.dataset.group }));
    else {
      for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
      scrollTo(target, 3);
    }
  };

  // Keys.
  const move = (step) => {
    const listed = entries.filter(isListed);
    const at = listed.findIndex((entry) => entry === chosen);
    const next = listed[at < 0 && step < 0 ? listed.length - 1 : at + step];
    if (!next) return;
    pick(next);
    if (!isSplit()) { chosen = next; next.summary.focus(); next.article.scrollIntoView(); }
    else if (results.contains(document.activeElement)) next.summary.focus({ preventScroll: true });
  };
  const keysDialog = () => {
    const dialog = document.createElement("dialog");
    dialog.className = "keys";
    dialog.setAttribute("aria-label", "Keys");
    dialog.innerHTML = `<h2>Keys</h2><dl>
      <div><dt><kbd>j</kbd></dt><dd>the next case</dd></div>
      <div><dt><kbd>k</kbd></dt><dd>the case before</dd></div>
      <div><dt><kbd>/</kbd></dt><dd>search</dd></div>
      <div><dt><kbd>?</kbd></dt><dd>these keys</dd></div>
      <div><dt><kbd>Enter</kbd></dt><dd>on a board: enlarge it</dd></div>
      <div><dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>on a board: light up one order after the other</dd></div></dl>
      <p><label><input type="checkbox"> Single letters do this</label></p><p><button type="button">Close</button></p>`;
    const allowed = one("input", dialog);
    allowed.checked = remembered("keys") !== "off";
    allowed.addEventListener("change", () => remembered("keys", allowed.checked ? "on" : "off"));
    one("button", dialog).addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };
  const actions = {
    j: () => move(1),
    k: () => move(-1),
    "/": () => { results.scrollIntoView(); text.focus(); text.select(); },
    "?": keysDialog,
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches?.("select, textarea, input:not([type=radio], [type=checkbox])");
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || one("dialog[open]")) return;
    if (!Object.hasOwn(actions, event.key) || remembered("keys") === "off") return;
    event.preventDefault();
    actions[event.key]();
  });

  for (const entry of entries) {
    entry.details.addEventListener("toggle", () => { if (entry.details.open) open(entry); });
    entry.summary.addEventListener("click", (event) => {
      if (!isSplit()) { chosen = entry; return; }
      event.preventDefault();
      pick(entry);
      if (event.detail === 0) pane.focus({ preventScroll: true });
    });
  }
  for (const button of [...buttons, wrongBoard]) {
    button?.addEventListener("click", () => { press(button, !isPressed(button)); remember(); });
  }
  section.addEventListener("change", remember);
  issue.addEventListener("change", remember);
  let waiting;
  text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(remember, 150); });
  reset.addEventListener("click", () => { set(new URLSearchParams()); remember(); text.focus(); });
  const openAll = (isOpen) => {
    isStacked = isOpen;
    arrange();
    for (const entry of entries) {
      if (entry.article.hidden || isSplit()) continue;
      if (isOpen) open(entry); else entry.details.open = false;
    }
  };
  one("[data-expand]", filter).addEventListener("click", () => openAll(true));
  one("[data-collapse]", filter).addEventListener("click", () => openAll(false));
  one("[data-keys]", filter).addEventListener("click", keysDialog);
  addEventListener("hashchange", follow);

  filter.hidden = false;
  const notFolded = entries.filter((entry) => !entry.fold);
  for (const { details } of notFolded.slice(1)) details.open = false;
  if (!notFolded.length) for (const group of groups) one(".folded", group).open = true;
  apply();
  arrange();
  for (const entry of entries) if (entry.details.open) fill(entry);
  follow();
})();
