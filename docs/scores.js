// The scoreboard: a click on a heading sorts by it; the matrix shows the cases of a section, or with a verdict.
for (const table of document.querySelectorAll("table[data-sorted]")) {
  const rows = [...table.tBodies[0].rows];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const text = (row) => row.cells[column].textContent.trim();
      const isNumber = rows.every((row) => !isNaN(text(row)));
      const wasUp = head.getAttribute("aria-sort") === "ascending";
      const isUp = head.ariaSort ? !wasUp : !isNumber;
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      rows.sort((one, other) => (isUp ? 1 : -1) * (isNumber ? text(one) - text(other) : text(one).localeCompare(text(other))));
      table.tBodies[0].append(...rows);
    });
  });
}
// On a phone, a table with sentences that is wider than the screen, or high as its columns are narrow, has a block for each line.
if (matchMedia("(max-width: 44.9em)").matches) {
  for (const table of document.querySelectorAll("article table:not([class])")) {
    const rows = [...table.tBodies[0].rows];
    const isText = rows.some((row) => [...row.cells].some((cell) => cell.innerText.length > 40));
    const fits = table.scrollWidth <= table.closest("article").clientWidth && rows.every((row) => row.offsetHeight < 120);
    if (!isText || fits) continue;
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
    for (const row of rows) [...row.cells].forEach((cell, column) => (cell.dataset.head = heads[column]));
    table.classList.add("stacked");
  }
}
// What the theme puts around wide tables scrolls: it can be reached by keyboard.
addEventListener("load", () => {
  for (const around of document.querySelectorAll(".md-typeset__scrollwrap")) {
    Object.assign(around, {tabIndex: 0, role: "group", ariaLabel: "Table"});
  }
});
const filter = document.querySelector(".matrix-filter");
if (filter) {
  const [section, verdict] = filter.querySelectorAll("select");
  const rows = [...document.querySelectorAll(".matrix tbody tr")];
  const show = () => {
    for (const row of rows) {
      const inSection = !section.value || row.dataset.section === section.value;
      row.hidden = !inSection || (verdict.value && !row.querySelector(`td.${verdict.value}`));
    }
    filter.querySelector("[role=status]").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} cases`;
  };
  filter.hidden = false;
  filter.addEventListener("change", show);
  show();
}
