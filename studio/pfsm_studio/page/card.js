// One segment: its numbers are shown when it is listed, its figures only when it comes near the window.

const twoSystems = data.systems.length > 1;

function fact(label, value, name) {
  return element("div", { class: `fact ${name || ""}` }, element("dt", {}, label), element("dd", {}, value));
}

function lengthText(segment) {
  const [references, hypotheses] = SIDES.map((side) => segment.raws.map((raw) => raw[side].length));
  const shown = segment.sharedReference ? [references[0]] : references;
  return `${shown.join(", ")} → ${hypotheses.join(", ")}`;
}

function facts(segment) {
  const made = element("dl", { class: "facts" });
  made.append(fact("Words", lengthText(segment)));
  segment.scores.forEach((score, k) => made.append(fact(twoSystems ? data.systems[k] : "Score", number(score), "score")));
  segment.raws.forEach((raw, k) => {
    if (raw.counted) made.append(fact(twoSystems ? `Reference of ${data.systems[k]}` : "Reference", raw.counted));
  });
  if (twoSystems) made.append(fact("Difference", signed(segment.difference), "score difference"));
  return made;
}

class Card {
  constructor(segment) {
    this.segment = segment;
    this.figures = null;
    this.drawnWidth = 0;
    this.isCurrent = false;
    this.made = null;
  }

  // Made when it is first listed: a page may have thousands.
  get root() {
    if (!this.made) this.make();
    return this.made;
  }

  make() {
    const { number: place } = this.segment;
    const title = element("h3", { id: `title-${place}` }, `Segment ${place}`);
    const head = element("div", { class: "card-head" }, title, facts(this.segment));
    this.body = element("div", { class: "card-body" });
    this.made = element(
      "article", { class: "card", id: `segment-${place}`, tabindex: this.isCurrent ? "0" : "-1", "aria-labelledby": title.id }, head, this.body,
    );
    this.made.card = this;
  }

  // Before a card is drawn it takes about as much room as it will afterwards, so that the scroll bar is right.
  reserve(width) {
    this.root.style.minHeight = "";
    const rows = this.segment.raws.map((raw) => Math.ceil((60 * Math.max(raw.reference.length, raw.hypothesis.length)) / width) || 1);
    const heights = rows.map((count) => count * BAND_HEIGHT + 260);
    const stacked = twoSystems && width > 500 ? Math.max(...heights) : heights.reduce((sum, height) => sum + height, 0);
    this.body.style.minHeight = `${stacked}px`;
  }

  draw(width) {
    if (!this.figures) this.fill();
    if (this.drawnWidth !== width) for (const figure of this.figures) figure.place(width);
    this.drawnWidth = width;
    this.body.style.minHeight = "";
    this.root.style.minHeight = "";
  }

  // Drops the figures but keeps the room that they took.
  clear() {
    if (this.height) this.root.style.minHeight = `${this.height}px`;
    this.figures = null;
    this.drawnWidth = 0;
    this.body.replaceChildren();
  }

  fill() {
    const { segment } = this;
    this.figures = segment.raws.map((raw) => new Figure(raw));
    if (twoSystems && segment.sharedReference) this.body.append(sharedReference(segment.raws[0].reference, this.figures));
    const columns = this.figures.map((figure, k) => this.column(figure, k));
    this.body.append(element("div", { class: twoSystems ? "columns two" : "columns" }, ...columns));
    this.setCurrent(this.isCurrent);
  }

  column(figure, k) {
    const { sums, scores } = this.segment;
    const below = element("div", { class: "below" }, sequenceElement(figure), sumElement(sums[k], scores[k]));
    const made = element("div", { class: "column" });
    if (twoSystems) made.append(element("h4", { class: "system" }, data.systems[k]));
    made.append(...lostElements(this.segment.raws[k]), figure.root, below);
    return made;
  }

  // Only the current card and its words can be reached with the Tab key: a page has tens of thousands of words.
  setCurrent(isCurrent) {
    this.isCurrent = isCurrent;
    this.root.setAttribute("tabindex", isCurrent ? "0" : "-1");
    for (const figure of this.figures || []) figure.setReachable(isCurrent);
  }
}

// The reference that both systems share; words that only one system aligns are marked.
function sharedReference(tokens, figures) {
  const aligned = figures.map((figure) => new Set(figure.pairs.map(([i]) => i)));
  const words = tokens.flatMap((word, k) => {
    const having = data.systems.filter((_, s) => aligned[s].has(k));
    const one = having.length === 1 ? element("span", { class: "contested", title: `aligned only in ${having[0]}` }, word) : word;
    return k ? [" ", one] : [one];
  });
  const text = tokens.length ? element("bdi", {}, ...words) : element("span", { class: "empty" }, "(empty)");
  return element("p", { class: "shared" }, element("span", { class: "label" }, "Reference"), " ", text);
}
