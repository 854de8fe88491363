// The list of segments: filtering, sorting and keyboard navigation.

const list = document.getElementById("list");
const [textField, lowField, highField, shortField, longField, keyField, directionButton, countText, noneText] =
  ["text", "low", "high", "short", "long", "key", "direction", "count", "none"].map((id) => document.getElementById(id));

const SORTS = [
  { name: "Segment number", value: (segment) => segment.number, descending: false },
  { name: "Length of the reference", value: (segment) => segment.length, descending: false },
  ...data.systems.map((name, k) => ({
    name: twoSystems ? `Score of ${name}` : "Score", value: (segment) => segment.scores[k], descending: false,
  })),
];
if (twoSystems) {
  SORTS.unshift({ name: "Size of the difference", value: (segment) => Math.abs(segment.difference), descending: true });
}

const counted = (count) => (count === 1 ? "1 segment" : `${count} segments`);
const cards = segments.map((segment) => new Card(segment));
// One segment is neither sorted nor filtered; it stands near the top.
document.body.classList.toggle("single", cards.length === 1);
let shown = cards;
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
  for (const card of cards) if (!card.figures) card.reserve(width);
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
  const found = finder(textField.value);
  const [low, high] = [bound(lowField, -Infinity), bound(highField, Infinity)];
  const [fewest, most] = [bound(shortField, -Infinity), bound(longField, Infinity)];
  const inRange = (score) => low <= score && score <= high;
  const fits = ({ length }) => fewest <= length && length <= most;
  shown = cards.filter(({ segment }) => found(segment) && fits(segment) && segment.scores.some(inRange));
  const sign = descending ? -1 : 1;
  shown.sort((a, b) => sign * (value(a.segment) - value(b.segment)) || a.segment.number - b.segment.number);
  hideDetail();
  list.replaceChildren(...shown.map((card) => card.root));
  if (!shown.includes(current)) setCurrent(shown[0] || null);
  directionButton.textContent = descending ? "↓ Highest first" : "↑ Lowest first";
  directionButton.setAttribute("aria-label", descending ? "Highest first; switch to lowest first" : "Lowest first; switch to highest first");
  countText.textContent = shown.length === cards.length ? counted(cards.length) : `${shown.length} of ${counted(cards.length)}`;
  noneText.hidden = shown.length > 0 || cards.length === 0;
}

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

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideDetail();
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".token, .line")) hideDetail();
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

function legendItem({ kind, label }) {
  const states = [...new Set(data.states.map(baseOf))].filter((state) => kindOf(state) === kind);
  if (!states.length) return null;
  const text = kind === "loose" ? states.map(nameOf).join(", ") : label;
  const sample = kind === "jump" ? element("span", { class: "chip jump" }, "Jump 1") : element("span", { class: `token ${kind}` }, "word");
  const names = states.flatMap((state, k) => (k ? [", ", stateElement(state)] : [stateElement(state)]));
  const note = kind === "delete" || kind === "insert" || kind === "jump" ? [] : [" (", ...names, ")"];
  return element("li", {}, sample, element("span", {}, text, ...note));
}

function legend() {
  const items = KINDS.map(legendItem).filter((item) => item);
  if (twoSystems && data.edited) {
    const sample = element("span", { class: "contested" }, "word");
    items.push(element("li", {}, sample, element("span", {}, "aligned in one system only")));
  }
  return items;
}

document.getElementById("guide-edits").hidden = !data.edited;
document.getElementById("guide-features").hidden = data.edited;
document.getElementById("overview").append(overview());
document.getElementById("legend").append(...legend());

arrange();
fit();
for (const card of cards) observer.observe(card.root);
new ResizeObserver(fit).observe(list);
if (!cards.length) list.append(element("p", { class: "notice" }, "There are no segments."));
const asked = /^#segment-(\d+)$/.exec(window.location.hash);
const goal = asked && cards.find(({ segment }) => segment.number === Number(asked[1]));
if (goal) goTo(goal);
