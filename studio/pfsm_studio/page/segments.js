// The data: explanations as objects, and the sums that the page shows.

// Numbers are strings of digits to the base of 64, so that the page is small.
const VALUES = new Map([..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((digit, k) => [digit, k]));

function digitsOf(largest) {
  let count = 1;
  for (let rest = Math.floor(largest / 64); rest > 0; rest = Math.floor(rest / 64)) count += 1;
  return count;
}

// Rows of numbers; each column has as many digits as its width.
function unpack(text, columnWidths) {
  const rows = [];
  for (let at = 0; at < text.length;) {
    rows.push(columnWidths.map((width) => {
      let value = 0;
      for (const end = at + width; at < end; at += 1) value = 64 * value + VALUES.get(text[at]);
      return value;
    }));
  }
  return rows;
}

function readWords(text) {
  return unpack(text, [data.widths.word]).map(([word]) => data.words[word]);
}

// How many numbers say where an edit is depends on what it is.
function readPlace(state, place) {
  if (place.length === 4) return { state, reference: [place[0], place[1]], hypothesis: [place[2], place[3]] };
  if (place.length === 2) return { state, reference: [place[0], place[0] + 1], hypothesis: [place[1], place[1] + 1] };
  const [none, token] = [[0, 0], [place[0], place[0] + 1]];
  return kindOf(state) === "insert" ? { state, reference: none, hypothesis: token } : { state, reference: token, hypothesis: none };
}

function readContributions(raw) {
  const width = digitsOf(Math.max(raw.reference.length, raw.hypothesis.length));
  const { state, posterior, points } = data.widths;
  return raw.contributions.flatMap((text, kind) => {
    const row = [state, ...new Array([1, 2, 4][kind]).fill(width), posterior, points];
    return unpack(text, row).map((values) => ({
      ...readPlace(data.states[values[0]], values.slice(1, -2)),
      posterior: values.at(-2) / 1e4,
      points: (values.at(-1) + data.least) * data.unit,
    }));
  });
}

// Edits of the best sequence are numbers of contributions; among them may be rows of their own, as of jumps.
function readEdits(edits, contributions) {
  const same = (number) => {
    const { state, reference, hypothesis } = contributions[number];
    return { state, reference, hypothesis, jump: null };
  };
  if (!Array.isArray(edits)) {
    return unpack(edits, [digitsOf(Math.max(contributions.length - 1, 0))]).map(([number]) => same(number));
  }
  return edits.map((edit) => (
    Array.isArray(edit) ? { ...readPlace(data.states[edit[0]], edit.slice(1, 5)), jump: edit[5] || null } : same(edit)
  ));
}

// The sum of an explanation in the order in which it is shown; `start` and `end` are running totals.
function sumOf(raw) {
  const [match, deleted, inserted, jump] = raw.sums.map(([count, points]) => ({ count, points }));
  const part = (kind, label, { points, count }) => ({ kind, label, points, count });
  const edits = [
    part("match", "Matches", match),
    part("delete", "Missing words", deleted),
    part("insert", "Extra words", inserted),
    part("jump", "Word order", jump),
    { kind: "entropy", label: "Entropy", points: raw.entropy },
  ].filter(({ kind }) => kind !== "jump" || hasJumps);
  const features = raw.features.filter(([, , added]) => added !== 0).map(([name, value, added]) => (
    { kind: "feature", label: `${data.features[name]}, ${signed(value, 1)} sd`, points: added }
  ));
  const parts = [{ kind: "base", label: "Base", points: raw.base }, ...(data.edited ? edits : []), ...features];
  let total = 0;
  for (const one of parts) {
    one.start = total;
    total += one.points;
    one.end = total;
  }
  return parts;
}

const hasJumps = data.states.includes("Jump");

// A page may have thousands of segments: sums are needed from the start, words when a segment is listed or searched.
class Segment {
  constructor(k) {
    this.number = data.numbers[k];
    this.packed = data.explanations.map((explanations) => explanations[k]);
    this.scores = this.packed.map(({ score }) => score);
    this.sums = this.packed.map(sumOf);
    this.difference = this.scores.length > 1 ? this.scores[1] - this.scores[0] : 0;
    this.length = this.packed[0].reference.length / data.widths.word;
    this.sharedReference = this.packed.every(({ reference }) => reference === this.packed[0].reference);
  }

  get raws() {
    this.unpacked ??= this.packed.map((raw) => ({
      ...raw, reference: readWords(raw.reference), hypothesis: readWords(raw.hypothesis),
    }));
    return this.unpacked;
  }

  get text() {
    this.searched ??= SIDES.flatMap((side) => this.raws.map((raw) => raw[side].join(" "))).join("\n").toLocaleLowerCase();
    return this.searched;
  }
}

const segments = (data.explanations[0] || []).map((_, k) => new Segment(k));

const [lowest, highest] = domain();

function domain() {
  let low = 0;
  let high = 0;
  for (const segment of segments) {
    for (const parts of segment.sums) {
      for (const part of parts) {
        low = Math.min(low, part.end);
        high = Math.max(high, part.end);
      }
    }
  }
  return low === high ? [0, 1] : [low, high];
}

// Number of decimals: three for scores about 1, one for scores about 100; the same for the whole page.
const decimals = Math.max(0, Math.min(4, 3 - Math.floor(Math.log10(Math.max(highest, -lowest, 1e-3)))));
