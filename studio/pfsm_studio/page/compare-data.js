// The data of a comparison: texts, scores, and explanations, which are read when they are first needed.

const data = JSON.parse(document.getElementById("data").textContent);
const { systems, metrics, human } = data;
const told = data.explained;
data.edited = Boolean(told && told.states.length);
data.states = told ? told.states : [];
data.labels = told ? told.labels : {};
const n = data.segments;
// The number of a segment in the files, from 1; some may be left out here.
const numberOf = (k) => data.numbers[k];
const everySegment = Array.from({ length: n }, (_, k) => k);

// Decimals of scores of the metric that is shown: three for scores about 1, one for scores about 100.
let decimals = 2;

function decimalsOf(metric) {
  let largest = 1e-3;
  for (const scores of metric.scores) for (const score of scores) largest = Math.max(largest, Math.abs(score));
  return Math.max(0, Math.min(5, 3 - Math.floor(Math.log10(largest))));
}

const JOINT = "¦";

function lineOf(entry) {
  return Array.isArray(entry) ? entry[0] : entry.replaceAll(JOINT, "");
}

function tokensOf(entry) {
  return Array.isArray(entry) ? entry.slice(1) : entry.split(/[ ¦]/);
}

const counted = (count) => (count === 1 ? "1 segment" : `${count.toLocaleString("en")} segments`);
const named = (k) => systems[k];

// The reference of a system's explanation, of several the one that counts.
function referenceOf(system, k) {
  const stream = told && told.counted ? told.counted[system][k] : 0;
  return data.references[stream][k];
}

// ---- pairs of systems ----

// Pairs stand in the order (0, 1), (0, 2), …, (1, 2), …
function pairPlace(a, b) {
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  return (low * (2 * systems.length - low - 1)) / 2 + high - low - 1;
}

const flipped = ([value, low, high]) => [-value, high === null ? null : -high, low === null ? null : -low];

// A less B of all segments: [value, low, high], and the rest of the pair as it is seen from A.
function pairOf(metric, a, b) {
  const found = metric.result.pairs[pairPlace(a, b)];
  const estimate = [found.difference, ...found.interval];
  const seen = a < b;
  return {
    estimate: seen ? estimate : flipped(estimate),
    wins: seen ? found.wins : found.losses,
    losses: seen ? found.losses : found.wins,
    ties: found.ties,
    p: found.p_value,
    holm: found.p_holm,
    atLimit: found.p_at_limit,
    preferred: found.preferred,
    agree: found.people_agree,
    settle: found.segments_to_settle,
  };
}

// The same of a bucket, the estimate alone.
function bucketPair(bucket, a, b) {
  const estimate = bucket.pairs[pairPlace(a, b)];
  return a < b ? estimate : flipped(estimate);
}

function less(one, other) {
  return Float64Array.from(one, (value, k) => value - other[k]);
}

function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function correlation(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let k = 0; k < x.length; k += 1) {
    xx += (x[k] - mx) ** 2;
    yy += (y[k] - my) ** 2;
    xy += (x[k] - mx) * (y[k] - my);
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : NaN;
}

// ---- explanations ----

// What figures call; they are read already.
const readContributions = ({ contributions }) => contributions;
const readEdits = (edits) => edits;
const USUAL = { Delete: [1, 0], Insert: [0, 1], Jump: [0, 0] };
const SIXTY_FOUR = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const EDIT = /@(\d+),(\d+);|(\p{L})(?:\{(\d+),(\d+)\})?/gu;

// What a figure draws of a translation: its words, its best edit sequence, and the posteriors of these edits.
function explanationOf(system, k) {
  const posteriors = told.posteriors[system][k];
  const letters = [...told.letters];
  const edits = [];
  let [i, j, jumps] = [0, 0, 0];
  for (const [, i0, j0, letter, p0, q0] of told.edits[system][k].matchAll(EDIT)) {
    if (letter === undefined) {
      [i, j] = [Number(i0), Number(j0)];
      continue;
    }
    const state = told.states[letters.indexOf(letter)];
    const [p, q] = p0 === undefined ? USUAL[baseOf(state)] || [1, 1] : [Number(p0), Number(q0)];
    const jump = baseOf(state) === "Jump" ? (jumps += 1) : null;
    const posterior = (SIXTY_FOUR.indexOf(posteriors[edits.length]) + 0.5) / 64;
    edits.push({ state, reference: [i, i + p], hypothesis: [j, j + q], jump, posterior });
    i += p;
    j += q;
  }
  return {
    reference: tokensOf(referenceOf(system, k)),
    hypothesis: tokensOf(data.outputs[system][k]),
    edits,
    contributions: edits.filter(({ jump }) => jump === null),
  };
}

const partKind = (part) => {
  if (part === "entropy") return "entropy";
  if (!told.states.some((state) => baseOf(state) === part)) return "feature";
  const kind = kindOf(part);
  return kind === "word" || kind === "punct" || kind === "loose" ? "match" : kind;
};

// ---- words that differ ----

// Which words of each side are not in the longest common subsequence: two arrays of booleans.
function differing(one, other) {
  const [m, o] = [one.length, other.length];
  const lengths = Array.from({ length: m + 1 }, () => new Uint16Array(o + 1));
  for (let i = m - 1; i >= 0; i -= 1) {
    for (let j = o - 1; j >= 0; j -= 1) {
      lengths[i][j] = one[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const found = [new Array(m).fill(true), new Array(o).fill(true)];
  let [i, j] = [0, 0];
  while (i < m && j < o) {
    if (one[i] === other[j]) {
      found[0][i] = false;
      found[1][j] = false;
      i += 1;
      j += 1;
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

// Words with those that differ marked; the line as it was written, so joints have no space.
function markedLine(entry, differs) {
  const line = lineOf(entry);
  const words = tokensOf(entry);
  if (!line) return element("span", { class: "empty" }, "(empty)");
  const made = element("bdi", {});
  let at = 0;
  words.forEach((word, k) => {
    const start = line.indexOf(word, at);
    if (start < 0) return;
    if (start > at) made.append(line.slice(at, start));
    made.append(differs[k] ? element("mark", {}, word) : word);
    at = start + word.length;
  });
  if (at < line.length) made.append(line.slice(at));
  return made;
}

// ---- search ----

let searched = null;

function texts() {
  if (!searched) {
    searched = everySegment.map((k) => [
      ...data.references.map((stream) => lineOf(stream[k])),
      ...data.outputs.map((lines) => lineOf(lines[k])),
      ...(data.source ? [data.source[k]] : []),
    ].join("\n").toLocaleLowerCase());
  }
  return searched;
}

const lengths = everySegment.map((k) => tokensOf(data.references[0][k]).length);
