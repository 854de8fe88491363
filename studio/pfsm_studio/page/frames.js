// Single explanations inside other pages: each element with data-explanation gets that segment of the data.

const frames = [...document.querySelectorAll("[data-explanation]")].map((frame) => {
  const { raws: [raw], sums: [sums] } = segments[Number(frame.dataset.explanation)];
  const figure = new Figure(raw);
  const below = element("div", { class: "below" }, sequenceElement(figure), sumElement(sums, raw.score));
  frame.replaceChildren(...lostElements(raw), figure.root, below);
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

// Words are placed for the window; a page of paper is narrower. Folded parts have no width until they are opened.
const PAPER = 620;
window.addEventListener("beforeprint", () => place(PAPER));
window.addEventListener("afterprint", () => place());
const sizes = new ResizeObserver(() => place());
for (const { frame } of frames) sizes.observe(frame);
document.getElementById("legend")?.replaceChildren(...legend());
place();
