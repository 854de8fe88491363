// The data: explanations as objects, the kinds of states, and the sums that the page shows.

const data = JSON.parse(document.getElementById("data").textContent);

const KINDS = [
  { kind: "word", label: "same word" },
  { kind: "punct", label: "same punctuation" },
  { kind: "loose", label: "same stem or other match" },
  { kind: "delete", label: "deleted" },
  { kind: "insert", label: "inserted" },
  { kind: "jump", label: "jump to another place, numbered" },
];

const NAMES = {
  S_word: "same word", S_punct: "same punctuation", S_lemma: "same stem", S_syn: "synonym", S_para: "paraphrase",
  S_char: "similar spelling", S_emb: "similar meaning",
  Delete: "deleted", Insert: "inserted", Jump: "jumps",
};

// A state split by word class, such as Insert:function, has the kind of the unsplit state.
function baseOf(state) {
  return state.split(":")[0];
}

function kindOf(state) {
  const known = { S_word: "word", S_punct: "punct", Delete: "delete", Insert: "insert", Jump: "jump" };
  return known[baseOf(state)] || "loose";
}

function nameOf(state) {
  const [base, wordClass] = state.split(":");
  const name = Object.hasOwn(NAMES, base) ? NAMES[base] : base.replace(/^S_/, "");
  return wordClass ? `${name} (${wordClass})` : name;
}

function readEdit([state, r0, r1, h0, h1, jump]) {
  return { state: data.states[state], reference: [r0, r1], hypothesis: [h0, h1], jump };
}

function readContribution([state, r0, r1, h0, h1, posterior, points]) {
  return { state: data.states[state], reference: [r0, r1], hypothesis: [h0, h1], posterior, points };
}

// The sum of an explanation in the order in which it is shown; `start` and `end` are running totals.
function sumOf(raw) {
  const empty = () => ({ match: 0, delete: 0, insert: 0, jump: 0 });
  const [points, counts] = [empty(), empty()];
  for (const row of raw.contributions) {
    const kind = kindOf(data.states[row[0]]);
    const group = kind in points ? kind : "match";
    counts[group] += row[5];
    points[group] += row[6];
  }
  const part = (kind, label) => ({ kind, label, points: points[kind], count: counts[kind] });
  const edits = [
    part("match", "Matches"),
    part("delete", "Deletes"),
    part("insert", "Inserts"),
    part("jump", "Jumps"),
    { kind: "entropy", label: "Entropy", points: raw.entropy },
  ].filter(({ kind }) => kind !== "jump" || hasJumps);
  const features = raw.features.map(([name, value, added]) => (
    { kind: "feature", label: `${name}, ${signed(value, 1)} sd`, points: added }
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

// Edits and contributions are read when a segment is first drawn; sums and texts are needed from the start.
const segments = (data.explanations[0] || []).map((_, k) => {
  const raws = data.explanations.map((explanations) => explanations[k]);
  const scores = raws.map((raw) => raw.score);
  const references = raws.map((raw) => raw.reference.join(" "));
  return {
    number: k + 1,
    raws,
    scores,
    sums: raws.map(sumOf),
    difference: scores.length > 1 ? scores[1] - scores[0] : 0,
    length: raws[0].reference.length,
    sharedReference: references.every((text) => text === references[0]),
    text: [...references, ...raws.map((raw) => raw.hypothesis.join(" "))].join("\n").toLocaleLowerCase(),
  };
});

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

function number(value, digits = decimals) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
}

function signed(value, digits = decimals) {
  const text = number(value, digits);
  return text.startsWith("−") || Number(text) === 0 ? text : `+${text}`;
}

function percent(probability) {
  if (probability > 0 && probability < 0.0005) return "<0.1 %";
  const text = (100 * probability).toFixed(probability < 0.0995 || probability > 0.9995 ? 1 : 0);
  return `${text.replace(/\.0$/, "")} %`;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// A state as in papers: S with its kind as a subscript.
function stateElement(state) {
  if (!state.startsWith("S_")) return element("span", { class: "state" }, state);
  return element("span", { class: "state", "aria-label": state }, "S", element("sub", {}, state.slice(2)));
}
