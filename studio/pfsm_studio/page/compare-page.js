// The fields of the page, and what happens when they change.

function options(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
}

const fields = { text: "text", better: "better", low: "low", high: "high", least: "least", most: "most", bucket: "bucket", edits: "kind" };

function fillFields() {
  byId("metric-field").hidden = metrics.length < 2;
  options(byId("metric"), metrics.map(({ label }, place) => [place, label]));
  for (const side of ["a", "b"]) options(byId(side), systems.map((name, place) => [place, name]));
  options(byId("better"), [["", "either"], ["a", "A"], ["b", "B"], ["tie", "tied"]]);
  options(byId("bucket"), [["", "all"], ...data.buckets.flatMap(({ title, labels }, kind) => labels.map((label, place) => [`${kind}.${place}`, `${title}: ${label}`]))]);
  options(byId("kind"), [["", "all"], ...editKinds.flatMap(([key, name]) => [[`${key}.a`, `${name}: more in A`], [`${key}.b`, `${name}: more in B`]])]);
  byId("kind").closest("label").hidden = !editKinds.length;
  byId("bucket").closest("label").hidden = !data.buckets.length;
}

// Fields show what is chosen.
function syncFields() {
  for (const key of ["metric", "a", "b"]) byId(key).value = String(state[key]);
  for (const [key, id] of Object.entries(fields)) byId(id).value = state[key] === null ? "" : String(state[key]);
  const all = sorts();
  options(byId("sort"), all.map(({ key, name }) => [key, name]));
  const sort = all.find(({ key }) => key === state.sort) || all[0];
  byId("sort").value = sort.key;
  const down = state.order ? state.order === "down" : sort.down;
  byId("direction").textContent = down ? "↓ Highest first" : "↑ Lowest first";
  byId("direction").setAttribute("aria-label", down ? "Highest first; switch to lowest first" : "Lowest first; switch to highest first");
}

function drawAll() {
  decimals = decimalsOf(metricNow());
  drawSystems();
  drawDistributions();
  drawBuckets();
  drawEdits();
  drawMetrics();
  drawHuman();
}

// What a change of the state asks to be drawn again.
function change(changes) {
  const pair = ["metric", "a", "b"].some((key) => key in changes && changes[key] !== state[key]);
  Object.assign(state, changes);
  if (pair) {
    differenceCache = new Map();
    drawAll();
  } else if ("by" in changes || "bucket" in changes) drawBuckets();
  if ("edits" in changes && !pair) drawEdits();
  if (pair || Object.keys(changes).some((key) => key !== "by")) {
    syncFields();
    arrange({ keep: pair });
  }
  writeAddress();
}

choosePair = (a, b) => change({ a, b });

showSegments = (changes) => {
  change(changes);
  byId("segments").scrollIntoView({ block: "start" });
};

byId("metric").addEventListener("change", (event) => change({ metric: Number(event.target.value) }));
for (const [side, other] of [["a", "b"], ["b", "a"]]) {
  byId(side).addEventListener("change", (event) => {
    const value = Number(event.target.value);
    change({ [side]: value, [other]: value === state[other] ? state[side] : state[other] });
  });
}
byId("swap").addEventListener("click", () => change({ a: state.b, b: state.a }));
byId("choice").addEventListener("submit", (event) => event.preventDefault());

let pause = 0;
const later = (changes) => {
  clearTimeout(pause);
  pause = setTimeout(() => change(changes()), 120);
};
byId("text").addEventListener("input", () => later(() => ({ text: byId("text").value })));
for (const id of ["low", "high", "least", "most"]) {
  byId(id).addEventListener("input", () => later(() => {
    const value = byId(id).valueAsNumber;
    return { [id]: Number.isNaN(value) ? null : value };
  }));
}
for (const [key, id] of [["better", "better"], ["bucket", "bucket"], ["edits", "kind"]]) {
  byId(id).addEventListener("change", () => change({ [key]: byId(id).value }));
}
byId("sort").addEventListener("change", () => change({ sort: byId("sort").value, order: "" }));
byId("direction").addEventListener("click", () => {
  const sort = sorts().find(({ key }) => key === byId("sort").value);
  const down = state.order ? state.order === "down" : sort.down;
  change({ order: down === sort.down ? (down ? "up" : "down") : "" });
});
byId("filters").addEventListener("submit", (event) => event.preventDefault());
byId("filters").addEventListener("reset", () => {
  clearTimeout(pause);
  setTimeout(() => change({ ...Object.fromEntries(FILTERS.map((key) => [key, START[key]])), sort: START.sort, order: START.order }));
});

function showState() {
  drawAll();
  syncFields();
  arrange();
  if (state.segment !== null) {
    goTo(shown.indexOf(state.segment));
    openSegment(state.segment);
  } else if (panel.open) panel.close();
}

window.addEventListener("hashchange", () => {
  readAddress();
  showState();
});
new ResizeObserver(() => {
  if (rowsBox.classList.contains("on-paper")) return;
  const before = rowHeight;
  measureRow();
  if (rowHeight !== before) arrange({ keep: true });
  else drawRows();
}).observe(rowsBox);

readAddress();
fillFields();
drawFacts();
showState();
