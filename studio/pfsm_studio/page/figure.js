// Two sentences, one above the other, with lines between aligned words.

const SVG = "http://www.w3.org/2000/svg";
const GUTTER = 36;
const FAINTEST = 0.03;

function svgElement(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Identifies an edit by its state and place; an empty range has no place.
function keyOf(edit) {
  const places = [edit.reference, edit.hypothesis].map(([first, last]) => (first < last ? `${first}-${last}` : ""));
  return [edit.state, ...places].join(" ");
}

// Pairs of words that an edit aligns: one by one, or each with each if the sides of a block differ in length.
function pairsOf({ reference: [r0, r1], hypothesis: [h0, h1] }) {
  const pairs = [];
  for (let i = r0; i < r1; i += 1) {
    if (r1 - r0 === h1 - h0) pairs.push([i, h0 + i - r0]);
    else for (let j = h0; j < h1; j += 1) pairs.push([i, j]);
  }
  return pairs;
}

class Figure {
  constructor(raw) {
    const contributions = readContributions(raw);
    this.explanation = {
      reference: raw.reference,
      hypothesis: raw.hypothesis,
      edits: readEdits(raw.edits, contributions),
      contributions,
    };
    this.best = new Set(this.explanation.edits.map(keyOf));
    this.pairs = this.explanation.edits.flatMap(pairsOf);
    this.root = element("div", { class: "figure" });
    this.drawing = svgElement("svg", { class: "lines" });
    this.root.append(this.drawing);
    this.tokens = SIDES.map((side) => this.makeRow(side));
    this.lines = this.makeLines();
    this.labels = [];
    this.current = this.tokens[0][0] || this.tokens[1][0] || null;
    this.listen();
  }

  isBest(edit) {
    return this.best.has(keyOf(edit));
  }

  makeRow(side) {
    const words = this.explanation[side];
    const group = element("div", { role: "group", "aria-label": side });
    if (!words.length) group.append(element("span", { class: "empty" }, "(empty)"));
    const tokens = words.map((word, k) => {
      if (!data.edited) return this.plainWord(side, word, k);
      const edit = this.explanation.edits.find((one) => one[side][0] <= k && k < one[side][1]);
      const state = edit ? edit.state : side === "reference" ? "Delete" : "Insert";
      const token = element("button", { type: "button", tabindex: "-1", class: `token ${kindOf(state)}`, dir: "auto" }, word);
      const partners = edit ? this.partnerWords(side, edit) : "";
      token.setAttribute("aria-label", `${side} ${k + 1}: ${word}, ${nameOf(state)}${partners}`);
      token.spot = { side, k };
      return token;
    });
    group.append(...tokens);
    this.root.append(group);
    return tokens;
  }

  // A word of a model without edits, which has no details.
  plainWord(side, word, k) {
    const token = element("button", { type: "button", tabindex: "-1", class: "token", dir: "auto" }, word);
    token.setAttribute("aria-label", `${side} ${k + 1}: ${word}`);
    token.spot = { side, k };
    return token;
  }

  partnerWords(side, edit) {
    const other = side === "reference" ? "hypothesis" : "reference";
    const words = quoted(this.explanation[other], edit[other]);
    return words ? `, aligned with ${words}` : "";
  }

  makeLines() {
    const lines = [];
    for (const edit of this.explanation.contributions) {
      const best = this.isBest(edit);
      if (edit.hypothesis[0] === edit.hypothesis[1] || (!best && edit.posterior < FAINTEST)) continue;
      for (const [i, j] of pairsOf(edit)) lines.push(this.makeLine(edit, i, j, best));
    }
    // Lines of the best sequence come last, so that they are drawn above the others.
    lines.sort((a, b) => a.best - b.best);
    this.drawing.append(...lines.map((line) => line.group));
    return lines;
  }

  makeLine(edit, i, j, best) {
    const label = `${nameOf(edit.state)}: ${editWords(this.explanation, edit)}, posterior ${percent(edit.posterior)}` +
      (edit.points === undefined ? "" : `, ${signed(edit.points, decimals + 1)} points`);
    const group = svgElement("g", {
      class: `line ${kindOf(edit.state)}${best ? "" : " other"}`, tabindex: "-1", role: "img", "aria-label": label,
    });
    const hit = svgElement("path", { class: "hit" });
    const stroke = svgElement("path", { class: "stroke" });
    stroke.style.strokeWidth = (1 + 1.5 * edit.posterior).toFixed(2);
    stroke.style.strokeOpacity = (0.4 + 0.6 * edit.posterior).toFixed(3);
    group.append(hit, stroke);
    const line = { group, hit, stroke, edit, i, j, best };
    group.line = line;
    return line;
  }

  // Places words and lines for a width in pixels.
  place(width) {
    const { reference, hypothesis } = this.explanation;
    const mirrored = isRightToLeft(hypothesis.length ? hypothesis : reference);
    const room = width - GUTTER;
    const { places, tops, height } = layOut(reference, hypothesis, this.pairs, room);
    const left = (place) => GUTTER + (mirrored ? room - place.x - place.width : place.x);
    this.mirrored = mirrored;
    this.root.style.height = `${height}px`;
    this.drawing.setAttribute("width", width);
    this.drawing.setAttribute("height", height);
    this.tokens.forEach((row, side) => row.forEach((token, k) => {
      const place = places[side][k];
      token.style.left = `${left(place)}px`;
      token.style.top = `${place.y}px`;
      token.style.width = `${place.width}px`;
    }));
    this.labelBands(tops);
    for (const line of this.lines) {
      const path = linePath(places[0][line.i], places[1][line.j], left);
      line.hit.setAttribute("d", path);
      line.stroke.setAttribute("d", path);
    }
  }

  // Labels the rows, and joins the rows of a band by a stave.
  labelBands(tops) {
    this.labels.forEach((label) => label.remove());
    this.labels = tops.flatMap((band) => {
      const rows = ["Ref", "Hyp"].map((text, row) => [text, band[row]]).filter(([, top]) => top !== null);
      const labels = rows.map(([text, top]) => this.aside("row-label", top, ROW_HEIGHT, text));
      const [first, last] = [rows[0][1], rows[rows.length - 1][1]];
      return [...labels, this.aside("stave", first, last - first + ROW_HEIGHT, "")];
    });
    this.root.append(...this.labels);
  }

  aside(name, top, height, text) {
    const made = element("span", { class: name, "aria-hidden": "true" }, text);
    made.style.top = `${top}px`;
    made.style.height = `${height}px`;
    return made;
  }

  listen() {
    const target = (event) => event.target.closest(".token, .line");
    const enter = (event) => target(event) && this.inspect(target(event));
    this.root.addEventListener("pointerover", enter);
    this.root.addEventListener("focusin", enter);
    this.root.addEventListener("click", enter);
    this.root.addEventListener("pointerout", () => this.leave());
    this.root.addEventListener("focusout", () => this.leave());
    this.root.addEventListener("keydown", (event) => this.onKey(event));
  }

  inspect(node) {
    if (node.line) {
      this.mark([node.line.edit]);
      showDetail(node, editDetail(this, node.line.edit, nameOf(node.line.edit.state)), {
        above: true, distance: ROW_HEIGHT + 8,
      });
      return;
    }
    if (!data.edited) return;
    const { side, k } = node.spot;
    this.mark(this.explanation.edits.filter((edit) => edit[side][0] <= k && k < edit[side][1]));
    node.classList.add("on");
    showDetail(node, tokenDetail(this, side, k), { above: side === "reference", distance: 8 });
  }

  // Highlights the words and lines of some edits.
  mark(edits) {
    this.unmark();
    const keys = new Set(edits.map(keyOf));
    this.root.classList.add("marking");
    for (const edit of edits) {
      SIDES.forEach((side, row) => {
        for (let k = edit[side][0]; k < edit[side][1]; k += 1) this.tokens[row][k].classList.add("on");
      });
    }
    for (const line of this.lines) line.group.classList.toggle("on", keys.has(keyOf(line.edit)));
  }

  unmark() {
    this.root.classList.remove("marking");
    for (const node of this.root.querySelectorAll(".on")) node.classList.remove("on");
  }

  leave() {
    this.unmark();
    hideDetail();
    const focused = document.activeElement;
    if (focused && this.root.contains(focused) && focused.matches(".token:focus-visible, .line:focus-visible")) {
      this.inspect(focused);
    }
  }

  onKey(event) {
    const node = event.target;
    const forward = this.mirrored ? "ArrowLeft" : "ArrowRight";
    const backward = this.mirrored ? "ArrowRight" : "ArrowLeft";
    let next = null;
    if (event.key === forward) next = this.neighbour(node, 1);
    else if (event.key === backward) next = this.neighbour(node, -1);
    else if (event.key === "ArrowDown") next = this.across(node, 1);
    else if (event.key === "ArrowUp") next = this.across(node, 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next) this.moveTo(next);
  }

  neighbour(node, step) {
    if (node.line) {
      const shown = this.lines.map((line) => line.group);
      return shown[shown.indexOf(node) + step];
    }
    return this.tokens[SIDES.indexOf(node.spot.side)][node.spot.k + step];
  }

  // The word at the other end of a word's most probable line.
  across(node, row) {
    if (node.line) return this.tokens[row][row ? node.line.j : node.line.i];
    const { side, k } = node.spot;
    if (side === SIDES[row]) return null;
    const own = this.lines.filter((line) => (row ? line.i : line.j) === k);
    own.sort((a, b) => b.best - a.best || b.edit.posterior - a.edit.posterior);
    return own.length ? own[0].group : null;
  }

  moveTo(node) {
    if (this.current) this.current.setAttribute("tabindex", "-1");
    this.current = node;
    node.setAttribute("tabindex", "0");
    node.focus();
  }

  setReachable(reachable) {
    if (this.current) this.current.setAttribute("tabindex", reachable ? "0" : "-1");
  }
}

// A curve that leaves both words at a right angle; it goes up if the hypothesis word is in an earlier band. Where other
// rows lie between the words, it runs between the rows and beside the stave, so that it crosses no word.
function linePath(above, below, left) {
  const upwards = below.band < above.band;
  const x1 = left(above) + above.width / 2;
  const x2 = left(below) + below.width / 2;
  const y1 = upwards ? above.y : above.y + ROW_HEIGHT;
  const y2 = upwards ? below.y + ROW_HEIGHT : below.y;
  const down = y2 > y1 ? 1 : -1;
  if (Math.abs(y2 - y1) > LINE_SPACE + 1) {
    const [from, to] = [y1 + down * LINE_SPACE / 2, y2 - down * LINE_SPACE / 2];
    const [beside, turn] = [GUTTER - 4, 6];
    return `M${x1} ${y1}Q${x1} ${from} ${x1 - turn} ${from}H${beside + turn}Q${beside} ${from} ${beside} ${from + down * turn}` +
      `V${to - down * turn}Q${beside} ${to} ${beside + turn} ${to}H${x2 - turn}Q${x2} ${to} ${x2} ${y2}`;
  }
  if (Math.abs(x1 - x2) < 0.5) return `M${x1} ${y1}V${y2}`;
  const middle = (y1 + y2) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}
