"use strict";
// A long table gets a field above it: rows without the text that is typed there are hidden.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length < 30) continue;
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Filter the table";
    field.setAttribute("aria-label", "Filter the table");
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.before(field);
  }
});
