
"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Colours: those of the reader's system until the button is pressed.
  const themeButton = one("[data-theme-button]");
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const nameTheme = () => { themeButton.textContent = isDark() ? "Light colours" : "Dark colours"; };
  const remembered = (value) => {
    try {
      if (value) localStorage.setItem("datc-check-theme", value);
      return localStorage.getItem("datc-check-theme");
    } catch { return null; }
  };
  const saved = remembered();
  if (saved === "dark" || saved === "light") root.dataset.theme = saved;
  themeButton.hidden = false;
  nameTheme();
  systemDark.addEventListener("change", nameTheme);
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered(root.dataset.theme);
    nameTheme();
  });
  let screenTheme;
  addEventListener("beforeprint", () => { screenTheme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => {
    if (screenTheme) root.dataset.theme = screenTheme; else delete root.dataset.theme;
  });

  // The filter. Its state is what the address says after "#?".
  const filter = one("[data-filter]");
  const sections = all("main > section").map((element) => ({
    element,
    key: element.dataset.key,
    cases: all("article.case", element).map((article) => ({
      article,
      details: one("details", article),
      verdict: article.dataset.verdict,
      issues: article.dataset.issues.split(" "),
      body: one(".body", article),
      html: one("noscript", article).textContent,
      text: null,
      filled: false,
    })),
  }));
  const cases = sections.flatMap((section) => section.cases);
  if (!cases.length) return;
  const buttons = all("button[data-verdict]", filter);
  const [section, issue, text] = ["[data-section]", "[data-issue]", "[data-text]"].map((name) => one(name, filter));
  const shown = one("[data-shown]", filter);
  const reset = one("[data-reset]", filter);

  // The inside of a case is text until the case is opened: hundreds of boards would take seconds to read.
  const fill = (entry) => {
    if (entry.filled) return;
    entry.filled = true;
    entry.body.innerHTML = entry.html;
    for (const board of all("svg[role=img]", entry.body)) board.tabIndex = 0;
    for (const button of all("[data-copy]", entry.body)) button.hidden = !navigator.clipboard;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const words = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    } catch { button.textContent = "Not allowed here"; }
    setTimeout(() => { button.textContent = words; }, 1500);
  });
  const opened = new Map(cases.map((entry) => [entry.details, entry]));
  const unfold = (details) => {
    if (opened.has(details)) fill(opened.get(details));
    details.open = true;
  };
  for (const entry of cases) {
    if (entry.details.open) fill(entry);
    entry.details.addEventListener("toggle", () => { if (entry.details.open) fill(entry); });
  }
  const wordsIn = (html) => new DOMParser().parseFromString(html.replace(/<svg[^]*?<\/svg>/g, " "), "text/html").body.textContent;
  const wordsOf = (entry) => (entry.text ??= `${one("summary", entry.article).textContent} ${wordsIn(entry.html)}`.toLowerCase().replace(/\s+/g, " "));

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
    if (phase) for (const board of all("svg[role=img]", phase)) light(board, found?.dataset.p);
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

  const apply = () => {
    const verdicts = buttons.filter((b) => b.getAttribute("aria-pressed") === "true").map((b) => b.dataset.verdict);
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { element, key, cases: own } of sections) {
      let here = 0;
      for (const entry of own) {
        const fits = (!section.value || key === section.value)
          && (!verdicts.length || verdicts.includes(entry.verdict))
          && (!issue.value || entry.issues.includes(issue.value))
          && words.every((word) => wordsOf(entry).includes(word));
        entry.article.hidden = !fits;
        here += fits;
      }
      element.hidden = !here;
      count += here;
    }
    const state = new URLSearchParams();
    if (verdicts.length) state.set("verdict", verdicts.join(","));
    if (section.value) state.set("section", section.value);
    if (issue.value) state.set("issue", issue.value);
    if (words.length) state.set("text", words.join(" "));
    shown.textContent = `${count} of ${cases.length} cases shown`;
    reset.hidden = ![...state].length;
    return [...state].length ? `#?${state}` : "";
  };
  const remember = () => {
    const hash = apply();
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
  };
  const set = (state) => {
    const verdicts = (state.get("verdict") ?? "").split(",");
    for (const button of buttons) button.setAttribute("aria-pressed", String(verdicts.includes(button.dataset.verdict)));
    section.value = state.get("section") ?? "";
    issue.value = state.get("issue") ?? "";
    for (const select of [section, issue]) if (select.selectedIndex < 0) select.value = "";
    text.value = state.get("text") ?? "";
  };

  // A link to a case, or to an issue, shows and opens it, whatever the filter has.
  const follow = () => {
    const hash = location.hash;
    if (hash.startsWith("#?")) {
      set(new URLSearchParams(hash.slice(2)));
      apply();
      return;
    }
    let target = null;
    try { target = document.getElementById(decodeURIComponent(hash.slice(1))); } catch { /* no such place */ }
    if (!target) return;
    if (target.closest("[hidden]")) {
      set(new URLSearchParams());
      apply();
    }
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) unfold(box);
    // What is above it gets its real height only when it comes near: so once more, and once more.
    const show = (times) => {
      (target.closest("article") ?? target).scrollIntoView();
      if (times) requestAnimationFrame(() => requestAnimationFrame(() => show(times - 1)));
    };
    show(3);
  };

  filter.hidden = false;
  const makeRoom = () => {
    const above = getComputedStyle(filter).position === "sticky" ? filter.offsetHeight : 0;
    root.style.scrollPaddingTop = `${above + 16}px`;
  };
  new ResizeObserver(makeRoom).observe(filter);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      remember();
    });
  }
  section.addEventListener("change", remember);
  issue.addEventListener("change", remember);
  let waiting;
  text.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(remember, 150); });
  reset.addEventListener("click", () => { set(new URLSearchParams()); remember(); text.focus(); });
  const openAll = (open) => {
    for (const entry of cases) if (!entry.article.hidden) { if (open) fill(entry); entry.details.open = open; }
  };
  one("[data-expand]", filter).addEventListener("click", () => openAll(true));
  one("[data-collapse]", filter).addEventListener("click", () => openAll(false));
  addEventListener("hashchange", follow);
  apply();
  makeRoom();
  follow();
})();
