// One segment: both systems side by side, aligned with the reference, and what the difference consists of.

const panel = byId("panel");
let figures = [];

function factOf(name, value, kind = "") {
  return element("div", { class: `fact ${kind}` }, element("dt", {}, name), element("dd", {}, value));
}

function factsOf(k) {
  const { a, b } = state;
  const made = element("dl", { class: "facts" });
  made.append(
    factOf("Score of A", number(scoresOf(a)[k]), "score a"), factOf("Score of B", number(scoresOf(b)[k]), "score b"),
    factOf("A − B", signed(differencesOf()[k]), "score"),
  );
  metrics.forEach(({ label }, place) => {
    if (place !== state.metric) made.append(factOf(`A − B by ${label}`, signed(differencesOf(place)[k])));
  });
  if (human) {
    for (const [name, s] of [["A", a], ["B", b]]) {
      if (human[s] && human[s][k] !== null) made.append(factOf(`Human score of ${name}`, tickText(human[s][k])));
    }
  }
  data.buckets.forEach(({ title, labels, of }) => {
    if (of[k] >= 0) made.append(factOf(title, labels[of[k]]));
  });
  return made;
}

function columnOf(s, k, differs) {
  const column = element("div", { class: "column" });
  column.append(element("h3", { class: "system" }, systemLabel(s), ` ${number(scoresOf(s)[k])}`));
  column.append(element("p", { class: "translation" }, markedLine(data.outputs[s][k], differs)));
  if (!data.edited) return column;
  const figure = new Figure(explanationOf(s, k));
  figures.push(figure);
  figure.setReachable(true);
  column.append(figure.root);
  return column;
}

// The parts of both scores and of their difference.
function partsOf(k) {
  if (!told || state.metric !== told.metric) return [];
  const { a, b } = state;
  const rows = told.parts.map((part, place) => {
    const points = [a, b].map((s) => told.points[s][place][k] * told.unit);
    return { part, points, value: points[0] - points[1] };
  }).filter(({ points }) => points.some((one) => Math.abs(one) >= told.unit));
  rows.sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
  const scale = scaleOf(rows.map(({ value }) => value), { zero: true });
  const made = rows.map(({ part, points, value }) => ({
    label: element("span", { class: `part ${partKind(part)}` }, nameOf(part)),
    track: trackOf(scale, { value, kind: kindOfValue(value), bar: true }),
    cells: [...points.map((one) => signed(one)), signed(value)],
  }));
  return [element("section", { class: "parts" }, element("h3", {}, "Where the difference comes from"), chart(
    "Points by kind of edit", ["A", "B", "A − B"], made, scale,
  ))];
}

function othersOf(k) {
  const others = everySystem().filter((s) => s !== state.a && s !== state.b);
  if (!others.length) return [];
  const mine = tokensOf(data.outputs[state.a][k]);
  return [element("section", { class: "others" }, element("h3", {}, "Other systems"), ...others.map((s) => {
    const entry = data.outputs[s][k];
    return element("p", { class: "translation" }, element("span", { class: "label" }, element("bdi", {}, named(s)), ` ${number(scoresOf(s)[k])}`), " ",
      markedLine(entry, differing(mine, tokensOf(entry))[1]));
  }))];
}

function drawPanel(k) {
  const { a, b } = state;
  figures = [];
  hideDetail();
  byId("panel-title").textContent = `Segment ${numberOf(k)}`;
  const [mine, theirs] = differing(tokensOf(data.outputs[a][k]), tokensOf(data.outputs[b][k]));
  const above = [];
  const line = (label, content) => element("p", { class: "shared" }, element("span", { class: "label" }, label), " ", content);
  if (data.source) above.push(line("Source", element("bdi", {}, data.source[k])));
  data.references.forEach((stream, place) => {
    above.push(line(data.references.length > 1 ? `Reference ${place + 1}` : "Reference", markedLine(stream[k], [])));
  });
  const columns = element("div", { class: "columns two" }, columnOf(a, k, mine), columnOf(b, k, theirs));
  byId("panel-body").replaceChildren(factsOf(k), ...above, columns, ...partsOf(k), ...othersOf(k));
  const place = shown.indexOf(k);
  byId("before").disabled = place <= 0;
  byId("after").disabled = place < 0 || place >= shown.length - 1;
}

function placeFigures() {
  for (const figure of figures) {
    const width = Math.floor(figure.root.clientWidth);
    if (width > 0) figure.place(width);
  }
}

openSegment = (k) => {
  state.segment = k;
  drawPanel(k);
  if (!panel.open) {
    panel.showModal();
    panel.focus();
  }
  panel.scrollTop = 0;
  placeFigures();
  writeAddress();
};

function step(by) {
  const place = shown.indexOf(state.segment) + by;
  if (place < 0 || place >= shown.length) return;
  goTo(place);
  openSegment(shown[place]);
}

byId("before").addEventListener("click", () => step(-1));
byId("after").addEventListener("click", () => step(1));
byId("close").addEventListener("click", () => panel.close());
panel.addEventListener("close", () => {
  hideDetail();
  state.segment = null;
  writeAddress();
  rowsBox.focus({ preventScroll: true });
});
panel.addEventListener("click", (event) => {
  if (event.target === panel) panel.close();
});
panel.addEventListener("keydown", (event) => {
  if (event.target.closest(".token, .line") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
});
panel.addEventListener("scroll", () => hideDetail());
new ResizeObserver(placeFigures).observe(panel);
