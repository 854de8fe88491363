// What is chosen on the page. It stands in the address, so that a colleague who opens it sees the same.

const START = {
  metric: 0, a: 0, b: 1, by: 0, sort: "size", order: "", text: "", better: "", low: null, high: null, least: null, most: null,
  bucket: "", edits: "", segment: null,
};
const state = { ...START };
const FILTERS = ["text", "better", "low", "high", "least", "most", "bucket", "edits"];

const metricNow = () => metrics[state.metric];
const scoresOf = (system, metric = metricNow()) => metric.scores[system];

let differenceCache = new Map();

// Differences A − B of all segments, by the number of a metric.
function differencesOf(place = state.metric) {
  if (!differenceCache.has(place)) {
    differenceCache.set(place, less(metrics[place].scores[state.a], metrics[place].scores[state.b]));
  }
  return differenceCache.get(place);
}

function wholeNumber(text, limit) {
  const found = Number(text);
  return /^\d+$/.test(text) && found < limit ? found : null;
}

function finiteNumber(text) {
  const found = Number(text);
  return text.trim() !== "" && Number.isFinite(found) ? found : null;
}

// What an address says; what it says wrongly counts as not said.
function readAddress() {
  const said = new URLSearchParams(window.location.hash.slice(1));
  const next = { ...START };
  const limits = { metric: metrics.length, a: systems.length, b: systems.length, by: Math.max(data.buckets.length, 1) };
  for (const [key, limit] of Object.entries(limits)) {
    const found = wholeNumber(said.get(key) || "", limit);
    if (found !== null) next[key] = found;
  }
  if (next.a === next.b) [next.a, next.b] = next.a === START.b ? [START.b, START.a] : [next.a, next.a === START.a ? START.b : START.a];
  for (const key of ["low", "high", "least", "most"]) next[key] = finiteNumber(said.get(key) || "");
  for (const key of ["text", "better", "bucket", "edits", "sort", "order"]) next[key] = said.get(key) || START[key];
  if (!["", "a", "b", "tie"].includes(next.better)) next.better = "";
  if (!["", "up", "down"].includes(next.order)) next.order = "";
  if (!bucketOf(next.bucket)) next.bucket = "";
  if (!editKinds.some(([key]) => [`${key}.a`, `${key}.b`].includes(next.edits))) next.edits = "";
  const segment = data.numbers.indexOf(Number(said.get("segment")));
  next.segment = segment < 0 ? null : segment;
  Object.assign(state, next);
  differenceCache = new Map();
}

function writeAddress() {
  const said = new URLSearchParams();
  for (const [key, value] of Object.entries(state)) {
    if (value === START[key]) continue;
    said.set(key, String(key === "segment" ? numberOf(value) : value));
  }
  const text = said.toString();
  const wanted = text ? `#${text}` : "";
  if (wanted !== window.location.hash) window.history.replaceState(null, "", wanted || window.location.pathname + window.location.search);
}

// ---- what segments can be sorted and filtered by ----

// Kinds of edits that can be counted: [key, name, counts by system].
const editKinds = told && data.edited ? [
  ...told.parts.flatMap((part, place) => {
    const known = told.counts.every((counts) => counts[place]);
    return known ? [[part, nameOf(part), told.counts.map((counts) => counts[place].map((count) => count / 100)), 0.5]] : [];
  }),
  ["moved", "words in another place", told.moved, 1],
  ["untranslated", told.fromSource ? "untranslated words" : "words in another script", told.untranslated, 1],
] : [];

function sorts() {
  const { a, b } = state;
  const difference = differencesOf();
  const [one, other] = [scoresOf(a), scoresOf(b)];
  const found = [
    { key: "size", name: "Size of the difference", value: (k) => Math.abs(difference[k]), down: true },
    { key: "difference", name: "Difference A − B", value: (k) => difference[k], down: false },
    { key: "a", name: "Score of A", value: (k) => one[k], down: false },
    { key: "b", name: "Score of B", value: (k) => other[k], down: false },
    { key: "number", name: "Segment number", value: (k) => k, down: false },
    { key: "length", name: "Length of the reference", value: (k) => lengths[k], down: true },
  ];
  if (metrics.length > 1) {
    const disagreement = disagreements();
    found.push({ key: "disagreement", name: "Disagreement of the metrics", value: (k) => disagreement[k], down: true });
  }
  if (human) {
    for (const [side, system] of [["a", a], ["b", b]]) {
      const wrong = human[system] && residuals().bySystem[system];
      if (!wrong) continue;
      const name = side.toUpperCase();
      found.push(
        { key: `wrong-${side}`, name: `Error of the metric for ${name}`, value: (k) => (wrong[k] === null ? -1 : Math.abs(wrong[k])), down: true },
        { key: `human-${side}`, name: `Human score of ${name}`, value: (k) => human[system][k] ?? Infinity, down: false },
      );
    }
  }
  for (const [key, name, counts] of editKinds) {
    found.push({ key: `more-${key}`, name: `${name}: A − B`, value: (k) => counts[a][k] - counts[b][k], down: true });
  }
  return found;
}

// How far metrics are apart on a segment: the range of its differences, each in standard deviations of its metric.
function disagreements() {
  const scaled = metrics.map((_, place) => {
    const values = differencesOf(place);
    const spread = Math.sqrt(mean(values.map((value) => value * value))) || 1;
    return values.map((value) => value / spread);
  });
  return Float64Array.from(everySegment, (k) => {
    const here = scaled.map((values) => values[k]);
    return Math.max(...here) - Math.min(...here);
  });
}

// ---- human scores ----

let residualCache = new Map();

// The line of least squares from human scores to those of the metric, over all systems, and what is left of each score.
function residuals() {
  if (residualCache.has(state.metric)) return residualCache.get(state.metric);
  const [x, y] = [[], []];
  systems.forEach((_, s) => {
    if (human[s]) human[s].forEach((judged, k) => {
      if (judged !== null) {
        x.push(judged);
        y.push(scoresOf(s)[k]);
      }
    });
  });
  const [mx, my] = x.length ? [mean(x), mean(y)] : [0, 0];
  let [xx, xy] = [0, 0];
  x.forEach((value, k) => {
    xx += (value - mx) ** 2;
    xy += (value - mx) * (y[k] - my);
  });
  const slope = xx > 0 ? xy / xx : 0;
  const intercept = my - slope * mx;
  const bySystem = systems.map((_, s) => human[s] && human[s].map((judged, k) => (
    judged === null ? null : scoresOf(s)[k] - intercept - slope * judged
  )));
  const found = { slope, intercept, bySystem };
  residualCache.set(state.metric, found);
  return found;
}

// ---- the segments that are shown, in order ----

function bucketOf(text) {
  const [kind, label] = text.split(".").map((part) => wholeNumber(part, 1e6));
  const found = kind !== null && data.buckets[kind];
  return found && label !== null && label !== undefined && label < found.labels.length ? { found, label } : null;
}

function editFilter(text) {
  const place = text.lastIndexOf(".");
  const kind = editKinds.find(([key]) => key === text.slice(0, place));
  const side = text.slice(place + 1);
  if (!kind || !["a", "b"].includes(side)) return null;
  const [, , counts, least] = kind;
  const [more, fewer] = side === "a" ? [state.a, state.b] : [state.b, state.a];
  return (k) => counts[more][k] - counts[fewer][k] >= least;
}

// Tokenised text may have spaces before punctuation; a search finds words whatever case they are in.
function chosenSegments() {
  const { a, b, low, high, least, most, better } = state;
  const difference = differencesOf();
  const [one, other] = [scoresOf(a), scoresOf(b)];
  const words = state.text.trim().toLocaleLowerCase();
  const bucket = bucketOf(state.bucket);
  const edits = editFilter(state.edits);
  const inRange = (score) => (least === null || score >= least) && (most === null || score <= most);
  const sides = { a: (value) => value > 0, b: (value) => value < 0, tie: (value) => value === 0 };
  const found = everySegment.filter((k) => (
    (low === null || difference[k] >= low) && (high === null || difference[k] <= high)
    && (inRange(one[k]) || inRange(other[k]))
    && (!better || sides[better](difference[k]))
    && (!bucket || bucket.found.of[k] === bucket.label)
    && (!edits || edits(k))
    && (!words || texts()[k].includes(words))
  ));
  const all = sorts();
  const sort = all.find(({ key }) => key === state.sort) || all[0];
  const sign = (state.order ? state.order === "down" : sort.down) ? -1 : 1;
  const values = Float64Array.from(everySegment, sort.value);
  return found.sort((p, q) => sign * (values[p] - values[q]) || p - q);
}
