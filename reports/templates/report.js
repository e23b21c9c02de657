
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
      text: null,
    })),
  }));
  const cases = sections.flatMap((section) => section.cases);
  if (!cases.length) return;
  const buttons = all("button[data-verdict]", filter);
  const [section, issue, text] = ["[data-section]", "[data-issue]", "[data-text]"].map((name) => one(name, filter));
  const shown = one("[data-shown]", filter);
  const reset = one("[data-reset]", filter);
  const wordsOf = (entry) => (entry.text ??= entry.article.textContent.toLowerCase().replace(/\s+/g, " "));

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
    for (let box = target.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    // What is above it gets its real height only when it comes near: so once more, and once more.
    const show = (times) => {
      target.scrollIntoView();
      if (times) requestAnimationFrame(() => requestAnimationFrame(() => show(times - 1)));
    };
    show(3);
  };

  filter.hidden = false;
  const makeRoom = () => {
    const above = getComputedStyle(filter).position === "sticky" ? filter.offsetHeight : 0;
    root.style.scrollPaddingTop = `${above + 16}px`;
  };
  makeRoom();
  addEventListener("resize", makeRoom);
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
    for (const entry of cases) if (!entry.article.hidden) entry.details.open = open;
  };
  one("[data-expand]", filter).addEventListener("click", () => openAll(true));
  one("[data-collapse]", filter).addEventListener("click", () => openAll(false));
  addEventListener("hashchange", follow);
  apply();
  follow();
})();
