// The small panel with details of a word, a line or an edit.

const detail = document.getElementById("detail");
const controls = document.getElementById("controls");
let described = null;

// The panel is placed above a reference word or a line and below a hypothesis word, so that it hides no partner.
function showDetail(anchor, content, { above, distance }) {
  detail.replaceChildren(...content);
  detail.hidden = false;
  // In a page with dialogs, which lie above everything else, the panel is a popover, and lies above them.
  if (detail.popover && !detail.matches(":popover-open")) detail.showPopover();
  if (described && described !== anchor) described.removeAttribute("aria-describedby");
  described = anchor;
  anchor.setAttribute("aria-describedby", "detail");
  const box = anchor.getBoundingClientRect();
  const size = detail.getBoundingClientRect();
  const room = document.documentElement.clientWidth;
  const left = Math.max(8, Math.min(box.left + box.width / 2 - size.width / 2, room - size.width - 8));
  const [over, under] = [box.top - size.height - distance, box.bottom + distance];
  const ceiling = getComputedStyle(controls).position === "sticky" ? Math.max(controls.getBoundingClientRect().bottom, 0) : 0;
  const fitsOver = over >= ceiling;
  const fitsUnder = under + size.height <= window.innerHeight;
  const top = (above ? fitsOver || !fitsUnder : fitsOver && !fitsUnder) ? over : under;
  detail.style.left = `${left + window.scrollX}px`;
  detail.style.top = `${top + window.scrollY}px`;
}

function hideDetail() {
  if (described) described.removeAttribute("aria-describedby");
  described = null;
  if (detail.popover && detail.matches(":popover-open")) detail.hidePopover();
  detail.hidden = true;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideDetail();
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".token, .line")) hideDetail();
});

function quoted(tokens, [first, last]) {
  return tokens.slice(first, last).join(" ");
}

// The words of an edit, such as "attack → attacks".
function editWords(explanation, edit) {
  const parts = [quoted(explanation.reference, edit.reference), quoted(explanation.hypothesis, edit.hypothesis)];
  return parts.filter((part) => part).join(" → ");
}

function editCells(explanation, edit, mark, words) {
  return [
    element("th", { scope: "row" }, mark ? "● " : "", nameOf(edit.state), " ", element("bdi", {}, words)),
    element("td", {}, edit.state === "Jump" ? edit.posterior.toFixed(2) : percent(edit.posterior)),
    ...(edit.points === undefined ? [] : [element("td", {}, signed(edit.points, decimals + 1))]),
  ];
}

function editTable(explanation, rows) {
  const expected = rows.some(({ edit }) => edit.state === "Jump") ? "Expected" : "Posterior";
  const known = rows.some(({ edit }) => edit.points !== undefined);
  const head = element("tr", {}, ...["Edit", expected, ...(known ? ["Points"] : [])].map((label) => element("th", { scope: "col" }, label)));
  const body = rows.map(({ edit, mark, words }) => element("tr", { class: mark ? "best" : null }, ...editCells(explanation, edit, mark, words)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
}

// All edits that a word can take part in, the most probable first.
function tokenDetail(figure, side, k) {
  const { explanation } = figure;
  const other = side === "reference" ? "hypothesis" : "reference";
  const all = explanation.contributions.filter((part) => part[side][0] <= k && k < part[side][1]);
  all.sort((a, b) => b.posterior - a.posterior);
  const shown = all.filter((part, place) => place === 0 || part.posterior >= 0.001).slice(0, 6);
  const rows = shown.map((part) => ({
    edit: part, mark: figure.isBest(part), words: part[other][0] < part[other][1] ? editWords(explanation, part) : "",
  }));
  const title = element("p", { class: "detail-title" }, element("bdi", {}, explanation[side][k]));
  title.append(element("span", {}, ` ${side} word ${k + 1}`));
  const content = [title, editTable(explanation, rows)];
  const points = all.reduce((sum, part) => sum + part.points, 0);
  if (all.length > 1 && !Number.isNaN(points)) {
    content.push(element("p", { class: "detail-sum" }, `All edits of this word: ${signed(points, decimals + 1)} points`));
  }
  return content;
}

// The edits of a run of the best sequence; all jumps of the pair are counted together.
function stretchDetail(figure, edits) {
  const { contributions } = figure.explanation;
  const parts = edits.map((edit) => contributions.find((part) => keyOf(part) === keyOf(edit))).filter((part) => part);
  const isJump = edits[0].state === "Jump";
  const rows = parts.slice(0, 12).map((part) => ({ edit: part, mark: false, words: isJump ? "" : editWords(figure.explanation, part) }));
  const title = isJump ? "All jumps of the pair" : nameOf(baseOf(edits[0].state));
  const content = [element("p", { class: "detail-title" }, title), editTable(figure.explanation, rows)];
  if (parts.length > rows.length) content.push(element("p", { class: "detail-sum" }, `and ${parts.length - rows.length} more`));
  return content;
}

function editDetail(figure, edit, title) {
  const words = editWords(figure.explanation, edit) || nameOf(edit.state);
  const heading = element("p", { class: "detail-title" }, title);
  return [heading, editTable(figure.explanation, [{ edit, mark: figure.isBest(edit), words }])];
}
