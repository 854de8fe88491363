"use strict";
// Headings become buttons that sort their table; without this script the tables are in the order of the experiment.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(heading, column));
  });

  function sort(heading, column) {
    // The first click puts the best on top (names from A), the second reverses, the third restores the experiment's order.
    const orders = heading.dataset.sort === "number" ? ["descending", "ascending"] : ["ascending", "descending"];
    const next = orders[orders.indexOf(heading.getAttribute("aria-sort")) + 1];
    for (const other of headings) other.removeAttribute("aria-sort");
    const rows = [...original];
    if (next) {
      heading.setAttribute("aria-sort", next);
      const sign = next === "ascending" ? 1 : -1;
      rows.sort((a, b) => compare(a.cells[column], b.cells[column], sign));
    }
    body.append(...rows);
  }
}

function compare(a, b, sign) {
  if (a.dataset.value === undefined) return sign * a.textContent.localeCompare(b.textContent);
  // Cells without a number stay at the end.
  if (a.dataset.value === "" || b.dataset.value === "") return (a.dataset.value === "") - (b.dataset.value === "");
  return sign * (Number(a.dataset.value) - Number(b.dataset.value));
}
