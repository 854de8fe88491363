// Charts as tables: a row has its label, a bar or an interval on a common scale, and its numbers.

function scaleOf(values, { zero = false, margin = 0.06 } = {}) {
  let [low, high] = zero ? [0, 0] : [Infinity, -Infinity];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) [low, high] = [0, 1];
  const room = margin * (high - low) || 0.5 * Math.abs(low) || 0.5;
  low -= room;
  high += room;
  return { low, high, at: (value) => (100 * (value - low)) / (high - low) };
}

function ticksOf({ low, high }, count = 5) {
  const wanted = (high - low) / count;
  const base = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * base).find((size) => size >= wanted * 0.999);
  const ticks = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) ticks.push(at === 0 ? 0 : at * step);
  return ticks;
}

const tickText = (value) => String(Number(value.toPrecision(8))).replace("-", "−");

function placed(name, start, end) {
  const made = element("span", { class: name });
  made.style.left = `${start}%`;
  if (end !== undefined) made.style.width = `${Math.max(end - start, 0)}%`;
  return made;
}

// A point with its interval on a scale; a bar from 0 where `bar` says so.
function trackOf(scale, { value, low, high, kind = "", bar = false }) {
  const parts = [];
  for (const tick of ticksOf(scale)) parts.push(placed(tick === 0 ? "grid-line zero-line" : "grid-line", scale.at(tick)));
  if (bar) parts.push(placed(`bar-of ${kind}`, scale.at(Math.min(0, value)), scale.at(Math.max(0, value))));
  if (Number.isFinite(low) && low !== null && high !== null) parts.push(placed(`reach ${kind}`, scale.at(low), scale.at(high)));
  if (!bar) parts.push(placed(`dot ${kind}`, scale.at(value)));
  return element("span", { class: "track-of", "aria-hidden": "true" }, ...parts);
}

function axisOf(scale) {
  const made = element("span", { class: "axis-of", "aria-hidden": "true" });
  for (const tick of ticksOf(scale)) {
    const label = placed("tick", scale.at(tick));
    label.append(tickText(tick));
    made.append(label);
  }
  return made;
}

// rows: { label (text or element), track, cells: [text], press, pressed }; heads name the columns of cells.
function chart(caption, heads, rows, scale) {
  const head = element(
    "tr", {}, element("th", { scope: "col" }, element("span", { class: "unseen" }, caption)),
    element("td", { class: "track-cell" }, axisOf(scale)), ...heads.map((text) => element("th", { scope: "col" }, text)),
  );
  const body = rows.map(({ label, track, cells, press, pressed, title }) => {
    const name = press
      ? element("button", { type: "button", class: "link", "aria-pressed": String(Boolean(pressed)), title }, label)
      : label;
    if (press) name.addEventListener("click", press);
    return element(
      "tr", { class: pressed ? "chosen" : null }, element("th", { scope: "row" }, name), element("td", { class: "track-cell" }, track),
      ...cells.map((cell, k) => element("td", { "data-head": heads[k] }, cell)),
    );
  });
  return element("table", { class: "chart" }, element("thead", {}, head), element("tbody", {}, ...body));
}

// Both ends of an interval; a dash where there is none.
function rangeText([, low, high], form = number) {
  return low === null || high === null ? "–" : `[${form(low, decimals + 1)}, ${form(high, decimals + 1)}]`;
}

const pText = (value) => (value === null ? "–" : value.toFixed(4));

// ---- histograms ----

// Bins of a width that is round, with 0 on an edge; series: [{ values, kind }].
function binned(series, count) {
  let [low, high] = [Infinity, -Infinity];
  for (const { values } of series) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const wanted = (high - low) / count || 1;
  const base = 10 ** Math.floor(Math.log10(wanted));
  const width = [1, 2, 2.5, 5, 10].map((factor) => factor * base).find((size) => size >= wanted * 0.999);
  const first = Math.floor(low / width + 1e-9);
  const size = Math.max(1, Math.floor(high / width + 1e-9) - first + 1);
  const counts = series.map(({ values }) => {
    const found = new Array(size).fill(0);
    for (const value of values) found[Math.min(size - 1, Math.max(0, Math.floor(value / width + 1e-9) - first))] += 1;
    return found;
  });
  return { width, first, size, counts, low: first * width, high: (first + size) * width };
}

const WIDE = 640;
const TALL = 230;
const FOOT = 26;

function picture(label, height = TALL) {
  const made = svgElement("svg", { class: "picture", role: "img", "aria-label": label, viewBox: `0 0 ${WIDE} ${height}` });
  return made;
}

function svgText(x, y, text, name, anchor = "middle") {
  const made = svgElement("text", { x, y, class: name, "text-anchor": anchor });
  made.append(text);
  return made;
}

function bottomAxis(drawing, scale, y, left = 0, right = WIDE) {
  for (const tick of ticksOf(scale, 8)) {
    const x = left + ((right - left) * (tick - scale.low)) / (scale.high - scale.low);
    if (tick === 0) drawing.append(svgElement("path", { class: "zero-path", d: `M${x} 8V${y}` }));
    if (x - left > 8 && right - x > 8) drawing.append(svgText(x, y + 17, tickText(tick), "tick"));
  }
}

// Outlines of the histograms of several systems; `front` come last, in colour.
function outlines(series, label) {
  const { low, high, size, counts } = binned(series, 40);
  const drawing = picture(label);
  const most = Math.max(...counts.flat(), 1);
  const y = (count) => TALL - FOOT - ((TALL - FOOT - 10) * count) / most;
  const x = (k) => (WIDE * k) / size;
  drawing.append(svgElement("path", { class: "base-path", d: `M0 ${TALL - FOOT}H${WIDE}` }));
  counts.forEach((heights, s) => {
    const steps = heights.map((count, k) => `V${y(count).toFixed(1)}H${x(k + 1).toFixed(1)}`).join("");
    drawing.append(svgElement("path", { class: `outline ${series[s].kind}`, d: `M0 ${TALL - FOOT}${steps}V${TALL - FOOT}` }));
  });
  bottomAxis(drawing, { low, high }, TALL - FOOT);
  return drawing;
}

// Bars of one histogram; a click on one chooses its range.
function bars(values, label, kindAt, press) {
  const { low, high, size, width, first, counts: [heights] } = binned([{ values }], 40);
  const drawing = picture(label);
  const most = Math.max(...heights, 1);
  heights.forEach((count, k) => {
    const height = ((TALL - FOOT - 10) * count) / most;
    const range = [(first + k) * width, (first + k + 1) * width];
    const x = (WIDE * k) / size;
    const shown = count ? Math.max(height, 1) : 0;
    const group = svgElement("g", { class: press ? "bin press" : "bin" });
    const title = svgElement("title");
    title.append(`${tickText(range[0])} to ${tickText(range[1])}: ${counted(count)}`);
    group.append(
      title, svgElement("rect", { class: "hit", x, y: 0, width: WIDE / size, height: TALL - FOOT }),
      svgElement("rect", {
        class: `bin-bar ${kindAt(range)}`, x: x + 0.75, y: TALL - FOOT - shown, width: Math.max(WIDE / size - 1.5, 1), height: shown,
      }),
    );
    if (press && count) group.addEventListener("click", () => press(range));
    drawing.append(group);
  });
  drawing.append(svgElement("path", { class: "base-path", d: `M0 ${TALL - FOOT}H${WIDE}` }));
  bottomAxis(drawing, { low, high }, TALL - FOOT);
  return drawing;
}

// ---- scatter ----

const SIDE = 420;
const GUTTER_LEFT = 52;

// series: [{ x, y, segments, kind }]; a click opens the nearest point's segment. `line` is [slope, intercept].
function scatter(series, label, { xName, yName, line, cross, press }) {
  const drawing = picture(label, SIDE);
  const [left, right, top, bottom] = [GUTTER_LEFT, WIDE - 6, 24, SIDE - 44];
  const all = (key) => series.flatMap((one) => Array.from(one[key]));
  const xs = all("x");
  const [sx, sy] = [scaleOf(xs, { zero: cross }), scaleOf(all("y"), { zero: cross })];
  const px = (value) => left + ((right - left) * sx.at(value)) / 100;
  const py = (value) => bottom - ((bottom - top) * sy.at(value)) / 100;
  for (const tick of ticksOf(sx, 7)) {
    drawing.append(svgElement("path", { class: tick === 0 && cross ? "zero-path" : "grid-path", d: `M${px(tick)} ${top}V${bottom}` }));
    drawing.append(svgText(px(tick), bottom + 16, tickText(tick), "tick"));
  }
  for (const tick of ticksOf(sy, 6)) {
    drawing.append(svgElement("path", { class: tick === 0 && cross ? "zero-path" : "grid-path", d: `M${left} ${py(tick)}H${right}` }));
    drawing.append(svgText(left - 6, py(tick) + 4, tickText(tick), "tick", "end"));
  }
  drawing.append(svgText((left + right) / 2, SIDE - 8, xName, "axis"), svgText(2, 12, yName, "axis", "start"));
  for (const { x, y, kind } of series) {
    let d = "";
    for (let k = 0; k < x.length; k += 1) d += `M${px(x[k]).toFixed(1)} ${py(y[k]).toFixed(1)}h0`;
    drawing.append(svgElement("path", { class: `points ${kind}`, d }));
  }
  if (line) {
    const [slope, intercept] = line;
    const ends = xs.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);
    drawing.append(svgElement("path", { class: "fit", d: ends.map((x, k) => `${k ? "L" : "M"}${px(x)} ${py(intercept + slope * x)}`).join("") }));
  }
  if (press) {
    drawing.classList.add("press");
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      const [cx, cy] = [((event.clientX - box.left) * WIDE) / box.width, ((event.clientY - box.top) * SIDE) / box.height];
      let [best, distance] = [null, 400];
      for (const { x, y, segments } of series) {
        for (let k = 0; k < x.length; k += 1) {
          const away = (px(x[k]) - cx) ** 2 + (py(y[k]) - cy) ** 2;
          if (away < distance) [best, distance] = [segments[k], away];
        }
      }
      if (best !== null) press(best);
    });
  }
  return drawing;
}
