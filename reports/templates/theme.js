
"use strict";
const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// What the reader chose is kept where the browser allows it.
const remembered = (name, value) => {
  try {
    if (value) localStorage.setItem(`datc-check-${name}`, value);
    return localStorage.getItem(`datc-check-${name}`);
  } catch { return null; }
};

// Colours: those of the reader's system until the button is pressed; light on paper.
(() => {
  const root = document.documentElement;
  const themeButton = one("[data-theme-button]");
  if (!themeButton) return;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const nameTheme = () => { themeButton.textContent = isDark() ? "Light colours" : "Dark colours"; };
  const saved = remembered("theme");
  if (saved === "dark" || saved === "light") root.dataset.theme = saved;
  themeButton.hidden = false;
  nameTheme();
  systemDark.addEventListener("change", nameTheme);
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered("theme", root.dataset.theme);
    nameTheme();
  });
  let screenTheme;
  addEventListener("beforeprint", () => { screenTheme = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => {
    if (screenTheme) root.dataset.theme = screenTheme; else delete root.dataset.theme;
  });
})();

// Copy buttons: of a text before the button, or of the orders in the tables of a case.
const ordersIn = (box) => all(".orders tbody", box).flatMap((power) => {
  const name = one(".group th", power).textContent.trim();
  return all("td:first-child", power).map((cell) => `${name}: ${cell.firstChild.textContent.trim()}`);
}).join("\n");
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.(".copy");
  if (!button) return;
  button.dataset.label ??= button.textContent;
  const box = button.closest("[data-copied]");
  try {
    await navigator.clipboard.writeText(box ? one("code, pre", box).textContent : ordersIn(button.closest(".body")));
    button.textContent = "Copied";
  } catch { button.textContent = "Not allowed here"; }
  setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
});
