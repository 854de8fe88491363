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

const EXAMPLE = {
  references: ["The bridge was closed for repairs on Monday.", "Seven people were hurt, two of them badly.",
    "She did not sign the contract.", "The museum opens again in spring.", "Prices rose by five per cent last year."],
  first: ["The bridge was closed on Monday for repairs.", "Seven people were injured, two of them seriously.",
    "She did not sign the contract.", "The museum will open again in spring.", "Prices rose by five per cent last year."],
  second: ["The bridge closed for repair Monday.", "Seventeen people were hurt, two badly.",
    "She signed the contract.", "The museum opens in spring.", "Last year prices fell by five per cent."],
  human: [90, 92, 100, 95, 100],
};

export function giveExample() {
  if (byId("systems").children.length < 2) addSystem();
  byId("references").value = EXAMPLE.references.join("\n");
  byId("system-0").value = EXAMPLE.first.join("\n");
  byId("system-1").value = EXAMPLE.second.join("\n");
  byId("human").value = EXAMPLE.human.join("\n");
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
    if (wrong >= 0) throw new Error(`Human scores: line ${wrong + 1} is not a number.`);
  }
  return { references, systems, human };
}
