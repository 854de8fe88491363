// The table of segments. Only the rows near the window are in the document.

const rowsBox = byId("rows");
let shown = [];
let active = 0;
let rowHeight = 0;
const SPARE = 6;
// Rows of a page of paper, which cannot scroll.
const PRINTED = 40;
const spacer = element("div", { class: "spacer", role: "presentation" });
rowsBox.append(spacer);
const live = new Map();

function measureRow() {
  rowHeight = parseFloat(getComputedStyle(rowsBox).getPropertyValue("--row")) * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function textLine(key, entry, differs) {
  return element("span", { class: "text-line" }, element("span", { class: `key ${key.toLowerCase()}` }, key), " ", markedLine(entry, differs));
}

function makeRow(place) {
  const k = shown[place];
  const { a, b } = state;
  const difference = differencesOf()[k];
  const [one, other] = [data.outputs[a][k], data.outputs[b][k]];
  const [mine, theirs] = differing(tokensOf(one), tokensOf(other));
  const score = (name, value, kind) => element("span", { class: `figure-of ${kind}` }, element("span", { class: "label" }, name), " ", value);
  const numbers = element(
    "span", { class: "numbers", role: "gridcell" },
    score("A", number(scoresOf(a)[k]), "a"), score("B", number(scoresOf(b)[k]), "b"),
    score("A − B", signed(difference), kindOfValue(difference)),
  );
  const lines = element(
    "span", { class: "lines-of", role: "gridcell" }, textLine("Ref", referenceOf(a, k), []), textLine("A", one, mine), textLine("B", other, theirs),
  );
  const row = element(
    "div", { class: "row", role: "row", id: `row-${numberOf(k)}`, "aria-rowindex": String(place + 1) },
    element("span", { class: "row-number", role: "gridcell" }, String(numberOf(k))), numbers, lines,
  );
  row.style.top = `${place * rowHeight}px`;
  row.place = place;
  return row;
}

function drawRows() {
  const first = Math.max(0, Math.floor(rowsBox.scrollTop / rowHeight) - SPARE);
  const last = Math.min(shown.length, Math.ceil((rowsBox.scrollTop + rowsBox.clientHeight) / rowHeight) + SPARE);
  for (const [place, row] of live) {
    if (place < first || place >= last) {
      row.remove();
      live.delete(place);
    }
  }
  for (let place = first; place < last; place += 1) {
    if (!live.has(place)) {
      const row = makeRow(place);
      live.set(place, row);
      spacer.append(row);
    }
  }
  markActive();
}

function markActive() {
  for (const [place, row] of live) {
    row.classList.toggle("active", place === active);
    row.setAttribute("aria-selected", String(place === active));
  }
  const row = live.get(active);
  if (row) rowsBox.setAttribute("aria-activedescendant", row.id);
  else rowsBox.removeAttribute("aria-activedescendant");
}

// Lists the segments anew; `keep`: where the reader stands in the list stays.
function arrange({ keep = false } = {}) {
  const before = shown[active];
  shown = chosenSegments();
  measureRow();
  spacer.style.height = `${shown.length * rowHeight}px`;
  rowsBox.setAttribute("aria-rowcount", String(shown.length));
  rowsBox.hidden = !shown.length;
  byId("none").hidden = shown.length > 0;
  byId("count").textContent = shown.length === n ? counted(n) : `${shown.length.toLocaleString("en")} of ${counted(n)}`;
  for (const row of live.values()) row.remove();
  live.clear();
  const place = keep ? shown.indexOf(before) : 0;
  active = Math.max(place, 0);
  if (!keep) rowsBox.scrollTop = 0;
  drawRows();
}

function goTo(place) {
  active = Math.max(0, Math.min(shown.length - 1, place));
  const top = active * rowHeight;
  if (top < rowsBox.scrollTop) rowsBox.scrollTop = top;
  else if (top + rowHeight > rowsBox.scrollTop + rowsBox.clientHeight) rowsBox.scrollTop = top + rowHeight - rowsBox.clientHeight;
  drawRows();
}

let framed = 0;
rowsBox.addEventListener("scroll", () => {
  if (!framed) {
    framed = requestAnimationFrame(() => {
      framed = 0;
      drawRows();
    });
  }
});

rowsBox.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row || String(window.getSelection())) return;
  active = row.place;
  markActive();
  openSegment(shown[row.place]);
});

rowsBox.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, Math.floor(rowsBox.clientHeight / rowHeight) - 1);
  const goals = { ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page, Home: 0, End: shown.length - 1 };
  if (event.key in goals) goTo(goals[event.key]);
  else if (event.key === "Enter" && shown.length) openSegment(shown[active]);
  else return;
  event.preventDefault();
});

window.addEventListener("beforeprint", () => {
  const rows = shown.slice(0, PRINTED).map((_, place) => makeRow(place));
  for (const row of rows) row.classList.add("on-paper");
  for (const row of live.values()) row.remove();
  live.clear();
  spacer.replaceChildren(...rows);
  rowsBox.classList.add("on-paper");
  byId("printed").textContent = shown.length > rows.length ? `The first ${rows.length} of ${counted(shown.length)}.` : "";
});
window.addEventListener("afterprint", () => {
  rowsBox.classList.remove("on-paper");
  byId("printed").textContent = "";
  spacer.replaceChildren();
  drawRows();
});
