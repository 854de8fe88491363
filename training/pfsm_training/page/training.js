// The explanations of the worst segments: a figure, the best edit sequence and the sum of the score in every frame.

const frames = [...document.querySelectorAll("[data-explanation]")].map((frame) => {
  const segment = segments[Number(frame.dataset.explanation)];
  const figure = new Figure(segment.raws[0]);
  const below = element("div", { class: "below" }, sequenceElement(figure), sumElement(segment.sums[0], segment.scores[0]));
  frame.replaceChildren(figure.root, below);
  figure.setReachable(true);
  return { frame, figure, width: 0 };
});

function place(width) {
  for (const one of frames) {
    const wanted = width || Math.floor(one.figure.root.clientWidth);
    if (wanted <= 0 || wanted === one.width) continue;
    one.width = wanted;
    one.figure.place(wanted);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideDetail();
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".token, .line")) hideDetail();
});
// Folded parts have no width until they are opened.
for (const folded of document.querySelectorAll("details")) folded.addEventListener("toggle", () => place());
// Words are placed for the window; a page of paper is narrower.
const PAPER = 620;
window.addEventListener("beforeprint", () => {
  place(PAPER);
});
window.addEventListener("afterprint", () => place());
new ResizeObserver(() => place()).observe(document.body);
place();
