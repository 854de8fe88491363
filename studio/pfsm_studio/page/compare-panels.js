// The pictures above the table: systems, distributions, buckets, kinds of edits, metrics, human scores.

const byId = (id) => document.getElementById(id);
const fill = (id, ...parts) => byId(id).replaceChildren(...parts);
const kindOfSystem = (s) => (s === state.a ? "a" : s === state.b ? "b" : "");
const kindOfValue = (value) => (value > 0 ? "a" : value < 0 ? "b" : "");

// Shows segments: sets filters and goes to the table.
let showSegments = () => {};
let openSegment = () => {};

function systemLabel(s) {
  const key = kindOfSystem(s);
  return element("span", {}, ...(key ? [element("span", { class: `key ${key}` }, key.toUpperCase()), " "] : []), element("bdi", {}, named(s)));
}

function drawSystems() {
  const { systems: found, pairs, significance } = metricNow().result;
  const scale = scaleOf(found.flatMap((one) => [one.score, ...one.interval.filter((end) => end !== null)]));
  fill("systems-chart", chart(
    `Scores by ${metricNow().label}`, ["Score", "95% interval"], found.map((one, s) => ({
      label: systemLabel(s),
      track: trackOf(scale, { value: one.score, low: one.interval[0], high: one.interval[1], kind: kindOfSystem(s) }),
      cells: [number(one.score, decimals + 1), rangeText([0, ...one.interval])],
    })), scale,
  ));
  const ends = pairs.flatMap((one) => [one.difference, -one.difference, ...one.interval.flatMap((end) => (end === null ? [] : [end, -end]))]);
  const pairScale = scaleOf(ends, { zero: true });
  const rows = [];
  for (let i = 0; i < systems.length; i += 1) {
    for (let j = i + 1; j < systems.length; j += 1) {
      const chosen = Math.min(state.a, state.b) === i && Math.max(state.a, state.b) === j;
      const [a, b] = chosen ? [state.a, state.b] : [i, j];
      const pair = pairOf(metricNow(), a, b);
      const [value, low, high] = pair.estimate;
      rows.push({
        label: element("span", {}, element("bdi", {}, named(a)), " − ", element("bdi", {}, named(b))),
        track: trackOf(pairScale, { value, low, high, kind: chosen ? "" : "quiet" }),
        cells: [
          signed(value, decimals + 1), rangeText(pair.estimate, signed), `${pair.atLimit ? "≤ " : ""}${pText(pair.holm)}`,
          `${pair.wins} / ${pair.losses} / ${pair.ties}`, pair.preferred,
        ],
        press: () => choosePair(a, b),
        pressed: chosen,
      });
    }
  }
  fill("pairs-chart", chart(
    "Differences of systems", ["Difference", "95% interval", "p (Holm)", "Better / worse / tied", "Preferred"], rows, pairScale,
  ));
  byId("resampling").textContent = `${metricNow().method}. `
    + `p is corrected for the number of pairs by Holm's method; a system is preferred where it is below ${significance}. `
    + `${metricNow().lowerIsBetter ? "Lower scores of systems are better; segment scores have the sign turned. " : ""}`
    + "A pair that is chosen here is A and B below.";
  const { estimate: [difference], holm, atLimit, preferred, agree, settle } = pairOf(metricNow(), state.a, state.b);
  fill(
    "verdict", `A − B ${signed(difference, decimals + 1)}, p ${atLimit ? "≤" : "="} ${pText(holm)}: `,
    preferred === "no preference" ? preferred : element("span", {}, element("b", {}, preferred), " is preferred"),
    settle === null ? "" : `; about ${Number(settle.toPrecision(2)).toLocaleString("en")} segments would settle it`,
    agree === null ? "" : `; people agreed in ${(100 * agree).toFixed(0)}% of pairs of systems so far apart`,
  );
}

let choosePair = () => {};

function drawDistributions() {
  const order = everySystem().sort((p, q) => Number(Boolean(kindOfSystem(p))) - Number(Boolean(kindOfSystem(q))));
  const series = order.map((s) => ({ values: scoresOf(s), kind: kindOfSystem(s) || "other" }));
  fill("scores-chart", outlines(series, "Distribution of segment scores"));
  const others = systems.length > 2 ? "; grey: the other systems" : "";
  fill("scores-caption", "Segment scores. ", keyOfPair(), others);
  const difference = differencesOf();
  const equal = difference.filter((value) => value === 0).length;
  const kindAt = ([low, high]) => (low >= 0 ? "a" : high <= 0 ? "b" : "");
  fill("differences-chart", bars(difference, "Distribution of differences", kindAt, ([low, high]) => showSegments({ low: round(low), high: round(high) })));
  fill("differences-caption", `Differences of segment scores, A − B: right of 0 A is better. ${counted(equal)} tied. Click a bar for its segments.`);
}

const everySystem = () => systems.map((_, s) => s);
const round = (value) => Number(value.toPrecision(10));

function keyOfPair() {
  return element("span", {}, element("span", { class: "key a" }, "A"), " ", element("bdi", {}, named(state.a)), ", ", element("span", { class: "key b" }, "B"), " ", element("bdi", {}, named(state.b)));
}

function drawBuckets() {
  byId("buckets-section").hidden = !data.buckets.length;
  if (!data.buckets.length) return;
  const kind = data.buckets[state.by];
  fill("bucket-kinds", ...data.buckets.map(({ title }, place) => {
    const button = element("button", { type: "button", class: "button tab", "aria-pressed": String(place === state.by) }, title);
    button.addEventListener("click", () => change({ by: place }));
    return button;
  }));
  const whole = pairOf(metricNow(), state.a, state.b).estimate;
  byId("bucket-note").textContent = `${kind.title}: ${kind.note}. Each row is what a comparison of its segments alone would say; `
    + "the intervals are not corrected for the number of rows. Click a label for its segments.";
  const found = metricNow().buckets[state.by];
  const estimates = found.map((bucket) => bucketPair(bucket, state.a, state.b));
  const scale = scaleOf([...estimates, whole].flat().filter((value) => value !== null), { zero: true });
  const rows = kind.labels.map((label, place) => {
    const [value, low, high] = estimates[place];
    const code = `${state.by}.${place}`;
    return {
      label: element("bdi", {}, label),
      track: trackOf(scale, { value, low, high, kind: kindOfValue(sure(low, high) ? value : 0) || "quiet" }),
      cells: [
        kind.sizes[place].toLocaleString("en"), number(found[place].systems[state.a][0], decimals + 1),
        number(found[place].systems[state.b][0], decimals + 1), signed(value, decimals + 1), rangeText(estimates[place], signed),
      ],
      press: () => showSegments({ bucket: state.bucket === code ? "" : code }),
      pressed: state.bucket === code,
    };
  });
  rows.push({
    label: "all segments",
    track: trackOf(scale, { value: whole[0], low: whole[1], high: whole[2], kind: "" }),
    cells: [
      n.toLocaleString("en"), ...[state.a, state.b].map((s) => number(metricNow().result.systems[s].score, decimals + 1)),
      signed(whole[0], decimals + 1), rangeText(whole, signed),
    ],
  });
  fill("buckets-chart", chart(`Difference A − B by ${kind.title}`, ["Segments", "A", "B", "A − B", "95% interval"], rows, scale));
}

const sure = (low, high) => low !== null && high !== null && (low > 0 || high < 0);

function drawEdits() {
  const section = byId("edits-section");
  section.hidden = !told;
  if (!told) return;
  const { a, b } = state;
  const label = metrics[told.metric].label;
  const counts = new Map(editKinds.map(([key, , values]) => [key, values]));
  const isZero = (one) => Number(number(one, decimals + 1).replace("−", "-")) === 0;
  const rows = told.parts.map((part, place) => {
    const means = [a, b].map((s) => mean(told.points[s][place]) * told.unit);
    return { part, means, value: means[0] - means[1] };
  }).filter(({ means }) => !means.every(isZero));
  rows.sort((one, other) => Math.abs(other.value) - Math.abs(one.value));
  const total = rows.reduce((sum, { value }) => sum + value, 0);
  const scale = scaleOf([...rows.map(({ value }) => value), total], { zero: true });
  const count = (key, s) => (counts.has(key) ? mean(counts.get(key)[s]).toFixed(2) : "");
  const alike = rows.filter(({ value }) => isZero(value));
  const made = rows.filter(({ value }) => !isZero(value)).map(({ part, means, value }) => ({
    label: nameOf(part),
    track: trackOf(scale, { value, kind: kindOfValue(value), bar: true }),
    cells: [count(part, a), count(part, b), ...means.map((one) => number(one, decimals + 1)), signed(value, decimals + 1)],
    ...pressOf(part),
  }));
  for (const [key, name] of editKinds.filter(([key]) => !told.parts.includes(key))) {
    if ([a, b].every((s) => Number(count(key, s)) === 0)) continue;
    made.push({ label: name, track: "", cells: [count(key, a), count(key, b), "", "", ""], ...pressOf(key) });
  }
  if (alike.length) {
    const sums = [0, 1].map((side) => alike.reduce((sum, { means }) => sum + means[side], 0));
    const cells = ["", "", ...sums.map((one) => number(one, decimals + 1)), signed(sums[0] - sums[1], decimals + 1)];
    made.push({ label: `${alike.length} others, each below ${(0.5 * 10 ** -(decimals + 1)).toFixed(decimals + 2)}`, track: "", cells });
  }
  made.push({ label: "sum: A − B", track: trackOf(scale, { value: total, kind: kindOfValue(total), bar: true }), cells: ["", "", "", "", signed(total, decimals + 1)] });
  byId("edits-note").textContent = data.edited
    ? `The mean score of ${label} in parts, which add up to the difference of the means. "Expected" is the number of edits a segment, over all edit sequences; `
      + "the entropy is what the spread over many edit sequences adds. "
      + "Click a name for the segments where the worse system of the two has more of it."
    : `The mean score of ${label} in parts, which add up to the difference of the means. This model aligns no words.`;
  fill("edits-chart", chart("Kinds of edits", ["A expected", "B expected", "A points", "B points", "A − B"], made, scale));
  const details = section.querySelector("details");
  details.hidden = !told.classes.length;
  if (told.classes.length) drawClasses();
}

// A click on a kind shows where the system that loses more by it has more of it.
function pressOf(key) {
  const kind = editKinds.find(([name]) => name === key);
  if (!kind) return {};
  const [, , values] = kind;
  const side = mean(values[state.a]) >= mean(values[state.b]) ? "a" : "b";
  const code = `${key}.${side}`;
  return {
    press: () => showSegments({ edits: state.edits === code ? "" : code }),
    pressed: state.edits.slice(0, -2) === key,
    title: `segments where ${side.toUpperCase()} has more of these`,
  };
}

function drawClasses() {
  const { a, b } = state;
  const values = told.classes.map(([, , points]) => points[a] - points[b]);
  const scale = scaleOf(values, { zero: true });
  const rows = told.classes.map(([name, counts, points], place) => ({
    label: nameOf(name),
    track: trackOf(scale, { value: values[place], kind: kindOfValue(values[place]), bar: true }),
    cells: [
      counts[a].toFixed(2), counts[b].toFixed(2), number(points[a], decimals + 1), number(points[b], decimals + 1),
      signed(values[place], decimals + 1),
    ],
  }));
  fill("classes-chart", chart("Kinds of edits by word class", ["A expected", "B expected", "A points", "B points", "A − B"], rows, scale));
}

function drawMetrics() {
  byId("metrics-section").hidden = metrics.length < 2;
  if (metrics.length < 2) return;
  const own = differencesOf();
  const others = metrics.map((_, place) => place).filter((place) => place !== state.metric);
  const rows = others.map((place) => {
    const values = differencesOf(place);
    const against = everySegment.filter((k) => own[k] * values[k] < 0).length;
    const theirs = pairOf(metrics[place], state.a, state.b);
    return [
      metrics[place].label, number(correlation(own, values), 3), against.toLocaleString("en"),
      `${((100 * against) / n).toFixed(1)} %`, theirs.preferred,
    ];
  });
  const head = ["Metric", "r of differences", "Other system better", "of segments", "Preferred"];
  fill(
    "metrics-chart", element(
      "table", { class: "chart plain" }, element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col" }, text)))),
      element("tbody", {}, ...rows.map(([name, ...cells]) => element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((cell, k) => element("td", { "data-head": head[k + 1] }, cell))))),
    ),
    element("p", { class: "reading" }, `Segment by segment, against ${metricNow().label}: on how many it prefers the other system.`),
    pressed("Segments by disagreement", () => showSegments({ sort: "disagreement", order: "" })),
  );
  const other = others[0];
  fill("metrics-scatter", scatter(
    [{ x: own, y: differencesOf(other), segments: everySegment, kind: "" }], "Differences by two metrics",
    { xName: `A − B by ${metricNow().label}`, yName: `A − B by ${metrics[other].label}`, cross: true, press: (k) => openSegment(k) },
  ));
  fill("metrics-caption", "A point is a segment. In the quarters at the upper left and the lower right the metrics prefer different systems. Click a point for its words.");
}

function pressed(text, press) {
  const made = element("button", { type: "button", class: "button" }, text);
  made.addEventListener("click", press);
  return made;
}

function drawHuman() {
  byId("human-section").hidden = !human;
  if (!human) return;
  const found = metricNow().agreement;
  const rows = found.map(({ system, n: judged, pearson, kendall }) => {
    const s = systems.indexOf(system);
    return { label: system === null ? "all together" : systemLabel(s), s, judged, pearson, kendall };
  });
  const scale = scaleOf(rows.flatMap(({ pearson }) => (pearson === null ? [] : [pearson])), { zero: true });
  const three = (value) => (value === null ? "–" : number(value, 3));
  fill("human-chart", chart(
    "Agreement with people", ["Judged", "Pearson", "Kendall"], rows.map(({ label, s, judged, pearson, kendall }) => ({
      label,
      track: pearson === null ? "" : trackOf(scale, { value: pearson, kind: kindOfSystem(s) }),
      cells: [judged.toLocaleString("en"), three(pearson), three(kendall)],
    })), scale,
  ));
  const { slope, intercept, bySystem } = residuals();
  const shown = [state.a, state.b].filter((s) => human[s]);
  const series = shown.map((s) => {
    const judged = everySegment.filter((k) => human[s][k] !== null);
    return { x: judged.map((k) => human[s][k]), y: judged.map((k) => scoresOf(s)[k]), segments: judged, kind: kindOfSystem(s) };
  });
  if (!series.some(({ segments }) => segments.length)) {
    fill("human-scatter", element("p", { class: "notice" }, "Neither A nor B was judged."));
    for (const id of ["human-caption", "residuals-chart", "residuals-caption"]) fill(id);
    return;
  }
  fill("human-scatter", scatter(series, "Scores and human scores", {
    xName: "human score", yName: metricNow().label, line: [slope, intercept], press: (k) => openSegment(k),
  }));
  fill("human-caption", "Translations of A and B, and the line of least squares over all systems. Click a point for its words.");
  const left = shown.flatMap((s) => bySystem[s].filter((value) => value !== null));
  fill("residuals-chart", bars(left, "Distribution of residuals", () => "plain-bar", null));
  const most = shown[0] === state.a ? "a" : "b";
  fill(
    "residuals-caption", "Residuals: score minus the fitted line's prediction from the human score. ",
    pressed("Segments that the metric gets most wrong", () => showSegments({ sort: `wrong-${most}`, order: "" })),
  );
}

function drawFacts() {
  const made = element("dl", { class: "facts overview" });
  const add = (name, value) => made.append(element("div", { class: "fact" }, element("dt", {}, name), element("dd", {}, value)));
  add("Systems", String(systems.length));
  add("Segments", n.toLocaleString("en"));
  if (data.references.length > 1) add("References", String(data.references.length));
  add(metrics.length > 1 ? "Metrics" : "Metric", metrics.map(({ label }) => label).join(", "));
  fill("facts", made);
  fill("signatures", ...metrics.map(({ label, result }) => element(
    "p", { class: "signature" }, element("span", { class: "label" }, label), " ", element("code", {}, `${result.name}|${result.signature}`),
  )));
  const limits = [];
  if (told) {
    limits.push(`Words are aligned by ${metrics[told.metric].label}, the first model given.`);
    if (data.references.length > 1) limits.push("Of several references the best one of each translation is shown.");
    limits.push("The page holds the best edit sequence of each translation, posteriors of its edits, and points by kind of edit; "
      + "`pfsm explain --html` gives the points of every edit.");
  } else limits.push("None of these metrics aligns words. With --model there would be explanations.");
  byId("limits").textContent = limits.join(" ");
}
