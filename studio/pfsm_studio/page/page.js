// The list of segments: filtering, sorting and keyboard navigation.

const list = document.getElementById("list");
const [textField, lowField, highField, shortField, longField, keyField, directionButton, countText, noneText] =
  ["text", "low", "high", "short", "long", "key", "direction", "count", "none"].map((id) => document.getElementById(id));

const SORTS = [
  ...data.systems.map((name, k) => ({
    name: twoSystems ? `Score of ${name}` : "Score", value: (segment) => segment.scores[k], descending: false,
  })),
  { name: "Segment number", value: (segment) => segment.number, descending: false },
  { name: "Length of the reference", value: (segment) => segment.length, descending: false },
];
if (twoSystems) {
  SORTS.unshift({ name: "Size of the difference", value: (segment) => Math.abs(segment.difference), descending: true });
}

const counted = (count) => (count === 1 ? "1 segment" : `${count} segments`);
const cards = segments.map((segment) => new Card(segment));
// One segment is neither sorted nor filtered; it stands near the top.
document.body.classList.toggle("single", cards.length === 1);
let shown = cards;
// So many segments are listed at first, and so many more where the end comes into view.
const STEP = 200;
let listed = STEP;
const moreButton = document.getElementById("more");
let current = null;
let descending = SORTS[0].descending;

// ---- what is drawn ----

// Figures that have been out of sight for long are dropped, so that sorting stays fast.
const MOST_DRAWN = 24;
const drawn = new Set();
const near = new Set();
const observer = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const { card } = entry.target;
    if (entry.isIntersecting) near.add(card);
    else near.delete(card);
    if (!entry.isIntersecting && card.figures) card.height = entry.boundingClientRect.height;
  }
  drawNear();
  clearFar();
}, { rootMargin: "600px 0px" });

let listWidth = 0;
let figureWidth = 0;

// The width of a figure in the current window; the same in every card.
function measureFigure() {
  const column = element("div", { class: "column" }, element("div", { class: "figure" }));
  const columns = element("div", { class: twoSystems ? "columns two" : "columns" }, column);
  const probe = element("article", { class: "card probe" }, element("div", { class: "card-body" }, columns));
  list.append(probe);
  const width = Math.floor(column.firstChild.clientWidth);
  probe.remove();
  return width;
}

function drawNear() {
  for (const card of near) draw(card);
}

function draw(card) {
  card.draw(figureWidth);
  drawn.delete(card);
  drawn.add(card);
}

function clearFar() {
  for (const card of drawn) {
    if (drawn.size <= MOST_DRAWN) return;
    if (near.has(card) || card === current) continue;
    card.clear();
    drawn.delete(card);
  }
}

function fit() {
  if (list.clientWidth === listWidth) return;
  listWidth = list.clientWidth;
  const width = measureFigure();
  if (width === figureWidth || width <= 0) return;
  figureWidth = width;
  hideDetail();
  for (const card of cards) if (card.made && !card.figures) card.reserve(width);
  drawNear();
}

// ---- sort and filter ----

function bound(field, otherwise) {
  return field.value === "" || Number.isNaN(field.valueAsNumber) ? otherwise : field.valueAsNumber;
}

// Tokenised text has spaces before punctuation, but a search for "yes, he" must find it too.
function finder(wanted) {
  const words = wanted.trim().toLocaleLowerCase();
  const closed = words.replace(/\s/g, "");
  const punctuated = /[^\p{L}\p{N}\p{M}\s]/u.test(words);
  return ({ text }) => text.includes(words) || (punctuated && text.replace(/ /g, "").includes(closed));
}

function arrange() {
  const { value } = SORTS[keyField.selectedIndex];
  const found = textField.value.trim() ? finder(textField.value) : () => true;
  const [low, high] = [bound(lowField, -Infinity), bound(highField, Infinity)];
  const [fewest, most] = [bound(shortField, -Infinity), bound(longField, Infinity)];
  const inRange = (score) => low <= score && score <= high;
  const fits = ({ length }) => fewest <= length && length <= most;
  shown = cards.filter(({ segment }) => found(segment) && fits(segment) && segment.scores.some(inRange));
  const sign = descending ? -1 : 1;
  shown.sort((a, b) => sign * (value(a.segment) - value(b.segment)) || a.segment.number - b.segment.number);
  hideDetail();
  listed = STEP;
  list.replaceChildren();
  listMore();
  if (!shown.includes(current)) setCurrent(shown[0] || null);
  directionButton.textContent = descending ? "↓ Highest first" : "↑ Lowest first";
  directionButton.setAttribute("aria-label", descending ? "Highest first; switch to lowest first" : "Lowest first; switch to highest first");
  countText.textContent = shown.length === cards.length ? counted(cards.length) : `${shown.length} of ${counted(cards.length)}`;
  noneText.hidden = shown.length > 0 || cards.length === 0;
}

function listMore() {
  const added = shown.slice(list.children.length, listed);
  for (const card of added) {
    if (!card.made && figureWidth) {
      card.make();
      card.reserve(figureWidth);
    }
  }
  list.append(...added.map((card) => card.root));
  for (const card of added) observer.observe(card.root);
  moreButton.hidden = listed >= shown.length;
}

function extend(count) {
  listed = Math.max(listed, count);
  listMore();
}

moreButton.addEventListener("click", () => extend(listed + STEP));
new IntersectionObserver(([entry]) => {
  if (entry.isIntersecting) extend(listed + STEP);
}, { rootMargin: "1200px 0px" }).observe(moreButton);

// After a change of order, show the first segment.
function arrangeAndShow() {
  arrange();
  setCurrent(shown[0] || null);
  if (list.getBoundingClientRect().top < controls.getBoundingClientRect().bottom - 1) {
    list.scrollIntoView({ block: "start" });
  }
}

keyField.append(...SORTS.map(({ name }) => element("option", {}, name)));
keyField.addEventListener("change", () => {
  ({ descending } = SORTS[keyField.selectedIndex]);
  arrangeAndShow();
});
directionButton.addEventListener("click", () => {
  descending = !descending;
  arrangeAndShow();
});
let pause = 0;
for (const field of [textField, lowField, highField, shortField, longField]) {
  field.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(arrangeAndShow, 120);
  });
}
controls.addEventListener("submit", (event) => event.preventDefault());
controls.addEventListener("reset", () => {
  ({ descending } = SORTS[0]);
  setTimeout(arrangeAndShow);
});

// ---- keyboard ----

function setCurrent(card) {
  if (card === current) return;
  if (current) current.setCurrent(false);
  current = card;
  if (current) current.setCurrent(true);
}

function goTo(card) {
  if (!card) return;
  extend(shown.indexOf(card) + 1);
  setCurrent(card);
  draw(card);
  card.root.focus({ preventScroll: true });
  card.root.scrollIntoView({ block: "nearest" });
}

list.addEventListener("focusin", (event) => {
  const article = event.target.closest(".card");
  if (article) setCurrent(article.card);
});

list.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && current && event.target !== current.root) {
    hideDetail();
    current.root.focus();
  }
  if (!event.target.matches(".card") || event.ctrlKey || event.metaKey || event.altKey) return;
  const place = shown.indexOf(event.target.card);
  const goals = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: shown.length - 1 };
  if (!(event.key in goals)) return;
  event.preventDefault();
  goTo(shown[goals[event.key]]);
});


// ---- overview and legend ----

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function overview() {
  const made = element("dl", { class: "facts overview" });
  made.append(fact("Segments", String(segments.length)));
  if (!segments.length) return made;
  data.systems.forEach((name, k) => {
    made.append(fact(`Mean score, ${name}`, number(mean(segments.map((segment) => segment.scores[k]))), "score"));
  });
  if (twoSystems) {
    made.append(fact(`Mean difference, ${data.systems[1]} − ${data.systems[0]}`, signed(mean(segments.map((segment) => segment.difference))), "score"));
    const better = (k) => segments.filter(({ difference }) => (k ? difference > 0 : difference < 0)).length;
    data.systems.forEach((name, k) => made.append(fact(`Higher for ${name}`, counted(better(k)))));
  }
  return made;
}

// How many segments have which score: all systems on one scale.
const BINS = 30;

function distribution() {
  const scores = segments.flatMap((segment) => segment.scores);
  const [low, high] = [scores.reduce((a, b) => Math.min(a, b)), scores.reduce((a, b) => Math.max(a, b))];
  const place = (score) => (high > low ? Math.min(BINS - 1, Math.floor((BINS * (score - low)) / (high - low))) : 0);
  const made = element("div", { class: "distribution" });
  data.systems.forEach((name, k) => {
    const counts = new Array(BINS).fill(0);
    for (const segment of segments) counts[place(segment.scores[k])] += 1;
    const most = Math.max(...counts);
    const bars = counts.map((count) => {
      const one = element("span", { title: counted(count) });
      one.style.height = `${(100 * count) / most}%`;
      return one;
    });
    const sorted = segments.map((segment) => segment.scores[k]).sort((a, b) => a - b);
    const middle = number(sorted[sorted.length >> 1]);
    const label = `Scores${twoSystems ? ` of ${name}` : ""}: ${number(low)} to ${number(high)}, median ${middle}`;
    made.append(element(
      "figure", {}, element("div", { class: "bars", role: "img", "aria-label": label }, ...bars), element("figcaption", {}, label),
    ));
  });
  return made;
}

// ---- what costs most, by kind ----

const NEGATIONS = /^(no|not|never|none|nothing|nobody|neither|nor|cannot|without|.*n['’]t)$/iu;
const marksOf = (text, wanted) => text.split(/\s+/).filter((word) => wanted.test(word)).join(" ").toLowerCase();
const SPAN_KINDS = [
  ["numbers changed", ([a, b]) => marksOf(a, /\p{N}/u) !== marksOf(b, /\p{N}/u)],
  ["negation changed", ([a, b]) => marksOf(a, NEGATIONS) !== marksOf(b, NEGATIONS)],
  ["words missing", ([a]) => a === "(missing)"],
  ["words too many", ([, b]) => b === "(nothing)"],
  ["word order changed", ([a, b]) => [a, b].map((side) => side.toLowerCase().split(/\s+/).sort().join(" ")).every((one, _, all) => one === all[0])],
  ["other words", () => true],
];

function spans() {
  const found = new Map();
  for (const segment of segments) {
    for (const raw of segment.packed) {
      for (const [, words, units] of raw.lost || []) {
        const sides = words.split(" → ");
        const [kind] = SPAN_KINDS.find(([, fits]) => fits(sides));
        const one = found.get(kind) || { kind, numbers: new Set(), points: 0, most: 0 };
        const points = units * data.unit;
        one.points += points;
        one.numbers.add(segment.number);
        if (points > one.most) Object.assign(one, { most: points, words, segment });
        found.set(kind, one);
      }
    }
  }
  return [...found.values()].sort((a, b) => b.points - a.points);
}

function spanRow({ kind, numbers, points, most, words, segment }) {
  const link = element("a", { href: `#segment-${segment.number}` }, words);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const card = cards.find((one) => one.segment === segment);
    if (!shown.includes(card)) {
      controls.reset();
      arrange();
    }
    goTo(card);
  });
  return element(
    "tr", {}, element("th", { scope: "row" }, `${kind}: ${counted(numbers.size)}`), element("td", {}, number(points)),
    element("td", {}, link, ` (${number(most)})`),
  );
}

function showSpans() {
  const rows = spans().map(spanRow);
  const section = document.getElementById("spans");
  section.hidden = !rows.length || cards.length < 2;
  const head = ["Kind", "Points in all", "The costliest one"].map((text) => element("th", { scope: "col" }, text));
  section.lastElementChild.append(
    element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)),
  );
}

// ---- print ----

// Sentences are set anew for the width of the paper, and all that is listed is drawn.
window.addEventListener("beforeprint", () => {
  document.body.classList.add("printed");
  fit();
  for (const card of shown.slice(0, listed)) card.draw(figureWidth);
});
window.addEventListener("afterprint", () => {
  document.body.classList.remove("printed");
  fit();
});

document.getElementById("guide-edits").hidden = !data.edited;
document.getElementById("guide-features").hidden = data.edited;
document.getElementById("overview").append(overview());
if (segments.length > 1) document.getElementById("overview").append(distribution());
showSpans();
document.getElementById("legend").append(...legend());

arrange();
fit();
new ResizeObserver(fit).observe(list);
if (!cards.length) list.append(element("p", { class: "notice" }, "There are no segments."));
const asked = /^#segment-(\d+)$/.exec(window.location.hash);
const goal = asked && cards.find(({ segment }) => segment.number === Number(asked[1]));
if (goal) goTo(goal);
