// Below a figure: the best edit sequence, and the sum from the base to the score.

function sameStretch(edits) {
  const stretches = [];
  for (const edit of edits) {
    const last = stretches[stretches.length - 1];
    const state = baseOf(edit.state);
    if (last && last.state === state && edit.jump === null) last.edits.push(edit);
    else stretches.push({ state, edits: [edit] });
  }
  return stretches;
}

function chip(figure, { state, edits }) {
  const content = [nameOf(state)];
  if (edits[0].jump !== null) content.push(element("span", { class: "chip-number" }, `${edits[0].jump}`));
  if (edits.length > 1) content.push(element("span", { class: "chip-number" }, `×${edits.length}`));
  const made = element("li", { class: `chip ${kindOf(state)}` }, ...content);
  made.addEventListener("pointerenter", () => {
    figure.mark(edits);
    showDetail(made, stretchDetail(figure, edits), { above: true, distance: 8 });
  });
  made.addEventListener("pointerleave", () => figure.leave());
  return made;
}

// As in Figure 1 of the paper, with runs of one kind drawn together.
function sequenceElement(figure) {
  if (!data.edited) return element("p", { class: "empty" }, "This model has no edits: only features contribute to the score.");
  const { edits } = figure.explanation;
  const chips = sameStretch(edits).map((stretch) => chip(figure, stretch));
  const body = chips.length ? element("ol", { class: "chips" }, ...chips) : element("p", { class: "empty" }, "(no edits)");
  return element("section", { class: "sequence" }, element("h4", {}, "Best edit sequence"), body);
}

// Why the score is no higher: points lost against the reference itself, largest first.
function lostElements(raw) {
  if (!raw.lost) return [];
  const cell = (text) => element("td", { class: "points" }, text);
  const rows = raw.lost.map(([severity, words, points], k) => element(
    "tr", {}, element("th", { scope: "row" }, `${words}: ${severity}`), cell(number(points * data.unit)),
    ...(raw.undo.length ? [cell(signed(raw.undo[k]))] : []),
  ));
  const heads = ["Error", "Points", ...(raw.undo.length ? ["Mended alone"] : [])].map((head) => element("th", { scope: "col" }, head));
  const title = `${number(raw.perfect - raw.score)} points lost of ${number(raw.perfect)} for a perfect match`;
  const table = [element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)];
  const shown = rows.length ? [element("table", { class: "sum" }, ...table)] : [];
  return [element("section", { class: "lost" }, element("h4", {}, title), ...shown)];
}

function bar(kind, start, end) {
  const at = (value) => (100 * (value - lowest)) / (highest - lowest);
  const made = element("span", { class: `bar ${kind}${end < start ? " minus" : ""}` });
  made.style.left = `${Math.min(at(start), at(end))}%`;
  made.style.width = `${Math.abs(at(end) - at(start))}%`;
  return made;
}

function track(...bars) {
  const zero = element("span", { class: "zero" });
  zero.style.left = `${(100 * -lowest) / (highest - lowest)}%`;
  return element("td", { class: "track", "aria-hidden": "true" }, element("span", { class: "rail" }, zero, ...bars));
}

// A waterfall: each bar begins where the one above it ends. The scale is the same for all segments of the page.
function sumElement(parts, score) {
  const head = element(
    "tr", {}, element("td", {}), data.edited ? element("th", { scope: "col" }, "Expected") : element("td", {}),
    element("td", { "aria-hidden": "true" }),
    element("th", { scope: "col" }, "Points"),
  );
  const rows = parts.map(({ kind, label, points, count, start, end }) => element(
    "tr", {}, element("th", { scope: "row" }, label),
    element("td", { class: "expected" }, count === undefined ? "" : count.toFixed(1)), track(bar(kind, start, end)),
    element("td", { class: "points" }, kind === "base" ? number(points) : signed(points)),
  ));
  const total = element(
    "tr", { class: "total" }, element("th", { scope: "row" }, "Score"), element("td", {}), track(bar("score", 0, score)),
    element("td", { class: "points" }, number(score)),
  );
  const table = element("table", { class: "sum" }, element("thead", {}, head), element("tbody", {}, ...rows, total));
  return element("section", {}, element("h4", {}, "From the base to the score"), table);
}

// ---- legend ----

function legendItem({ kind, label }) {
  const states = [...new Set(data.states.map(baseOf))].filter((state) => kindOf(state) === kind);
  if (!states.length) return null;
  const text = kind === "loose" ? states.map(nameOf).join(", ") : label;
  const sample = kind === "jump" ? element("span", { class: "chip jump" }, "1") : element("span", { class: `token ${kind}` }, "word");
  return element("li", {}, sample, element("span", {}, text));
}

function legend() {
  const items = KINDS.map(legendItem).filter((item) => item);
  if (data.systems.length > 1 && data.edited) {
    const sample = element("span", { class: "contested" }, "word");
    items.push(element("li", {}, sample, element("span", {}, "aligned in one system only")));
  }
  return items;
}
