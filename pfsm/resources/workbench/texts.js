// The texts that people paste or upload: references, systems, human scores.

import { byId, element } from "./elements.js";

const MOST = 5;

export function lines(text) {
  const found = text.replace(/\r\n/g, "\n").split("\n");
  if (found.at(-1) === "") found.pop();
  return found;
}

export function addSystem() {
  const place = byId("systems").children.length;
  if (place >= MOST) return;
  const id = `system-${place}`;
  byId("systems").append(element("div", { class: "text-box" },
    element("label", { for: `${id}-name` }, `Name of system ${place + 1}`),
    element("input", { id: `${id}-name`, maxlength: "100", value: `system ${place + 1}` }),
    element("label", { for: id }, `Translations of system ${place + 1}, one segment a line`),
    element("textarea", { id, rows: "7", spellcheck: "false", wrap: "off" }),
    element("label", { class: "file" }, "From a file ",
      element("input", { type: "file", "data-for": id, accept: ".txt,text/plain" }))));
  byId("add-system").disabled = place + 1 >= MOST;
}

export async function takeFile(input) {
  const file = input.files[0];
  if (file) byId(input.dataset.for).value = await file.text();
}

function same(name, found, count) {
  if (found !== count) throw new Error(`${name}: ${found} lines, but there are ${count} references.`);
}

export function texts() {
  const references = lines(byId("references").value);
  if (!references.length) throw new Error("Give references, one segment a line.");
  const systems = [];
  for (const box of byId("systems").children) {
    const text = box.querySelector("textarea").value;
    if (!text && systems.length) continue;
    const name = box.querySelector("input:not([type])").value.trim();
    const hypotheses = lines(text);
    same(name, hypotheses.length, references.length);
    systems.push({ name, hypotheses });
  }
  const given = byId("human").value.trim();
  let human = null;
  if (given) {
    human = lines(byId("human").value.trim()).map((line) => (line.trim() === "" ? NaN : Number(line)));
    same("Human scores", human.length, references.length);
    const wrong = human.findIndex((value) => !Number.isFinite(value));
    if (wrong >= 0) throw new Error(`Human scores: line ${wrong + 1} is no number.`);
  }
  return { references, systems, human };
}
