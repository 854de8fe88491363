// The weights laboratory: sliders, scores with them at once, undo, reset, and the model to keep.

import { get, post } from "./client.js";
import { byId, complain, download, element, say, shown, signed, table } from "./elements.js";
import { Rows } from "./rows.js";
import { texts } from "./texts.js";

let model = null;
let weights = {};
let past = [];
let asking = false;
let again = false;
let rows = null;
let screen = null;

const original = (name) => model.values.get(name);
const changed = () => Object.fromEntries(Object.entries(weights).filter(([name, value]) => value !== original(name)));

export async function openLaboratory() {
  complain(null);
  try {
    const name = byId("model").value;
    if (!model || model.name !== name) {
      model = await get(`/workbench/models/${encodeURIComponent(name)}`);
      model.values = new Map(model.groups.flatMap((group) => group.weights.map((weight) => [weight.name, weight.value])));
      weights = Object.fromEntries(model.values);
      past = [];
      byId("save-name").value = model.default_name;
      drawWeights();
    }
    rows = null;
    await rescore();
  } catch (error) {
    complain(error);
  }
}

function drawWeights() {
  byId("weights").replaceChildren(...model.groups.map((group, g) => element("details", { open: g === 0 },
    element("summary", {}, element("h2", {}, group.name), ` ${group.weights.length}`),
    ...group.weights.map((weight, w) => control(weight, `weight-${g}-${w}`)))));
  showState();
}

function control(weight, id) {
  const reach = Math.max(2, Math.ceil(2 * Math.abs(weight.value)));
  const told = weight.instances === null ? "" : `, ${weight.instances} instances in training`;
  const slider = element("input", { type: "range", id, min: String(-reach), max: String(reach), step: "any",
    "aria-describedby": `${id}-was` });
  const exact = element("input", { type: "number", step: "any", min: "-1000000", max: "1000000", "aria-label": `${weight.label}, number` });
  const back = element("button", { class: "button", type: "button", "aria-label": `Reset ${weight.label}` }, "reset");
  const row = element("div", { class: "weight", "data-name": weight.name },
    element("label", { for: id, title: weight.name }, weight.label), slider, exact, back,
    element("span", { id: `${id}-was`, class: "was" }, `was ${weight.value.toFixed(4)}${told}`));
  let before = null;
  const begin = () => { before ??= weights[weight.name]; };
  const end = () => {
    if (before !== null && before !== weights[weight.name]) past.push([[weight.name, before]]);
    before = null;
    showState();
  };
  slider.addEventListener("input", () => { begin(); set(weight.name, slider.valueAsNumber); });
  slider.addEventListener("change", end);
  exact.addEventListener("change", () => {
    if (!Number.isFinite(exact.valueAsNumber) || !exact.checkValidity()) {
      exact.value = String(weights[weight.name]);
      return;
    }
    begin();
    set(weight.name, exact.valueAsNumber);
    end();
  });
  back.addEventListener("click", () => { begin(); set(weight.name, weight.value); end(); });
  return row;
}

function set(name, value) {
  weights[name] = value;
  showState();
  rescore();
}

function showState() {
  for (const row of byId("weights").querySelectorAll(".weight")) {
    const value = weights[row.dataset.name];
    const [slider, exact] = row.querySelectorAll("input");
    if (document.activeElement !== slider || slider.valueAsNumber !== value) slider.value = String(value);
    slider.setAttribute("aria-valuetext", value.toFixed(4));
    if (document.activeElement !== exact) exact.value = String(Number(value.toFixed(4)));
    row.classList.toggle("changed", value !== original(row.dataset.name));
  }
  byId("undo").disabled = !past.length;
  byId("reset").disabled = !Object.keys(changed()).length;
}

function restore(values) {
  for (const [name, value] of values) weights[name] = value;
  showState();
  rescore();
}

async function rescore() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  try {
    do {
      again = false;
      await ask();
    } while (again);
    complain(null);
  } catch (error) {
    complain(error);
  } finally {
    asking = false;
  }
}

async function ask() {
  const { references, systems, human } = texts();
  const body = { model: model.name, hypotheses: systems[0].hypotheses, references, weights: changed() };
  if (human) body.human = human;
  const found = await post("/workbench/laboratory", body);
  screen = { ...found, references, hypotheses: systems[0].hypotheses, human };
  const difference = screen.now.map((value, k) => value - screen.was[k]);
  screen.difference = difference;
  const lines = [["Mean score", shown(found.mean[0]), shown(found.mean[1]), signed(found.mean[1] - found.mean[0])]];
  for (const [key, name] of [["pearson", "Pearson r with people"], ["kendall", "Kendall tau with people"]]) {
    const pair = found.agreement?.[key];
    if (pair) {
      const both = pair[0] !== null && pair[1] !== null;
      lines.push([name, shown(pair[0]), shown(pair[1]), both ? signed(pair[1] - pair[0]) : "–"]);
    }
  }
  byId("lab-summary").replaceChildren(table("What changes", ["Figure", "Model", "With your weights", "Change"], lines));
  const count = difference.filter((value) => value !== 0).length;
  say(`${count} of ${difference.length} segments have changed scores.`);
  if (rows && rows.count === references.length) rows.draw();
  else drawRows();
}

function drawRows() {
  const number = (title, list, text = shown) => ({ title, value: (k) => list()[k], text: (k) => text(list()[k]) });
  const words = (title, list) => ({ title, value: (k) => list()[k], text: (k) => list()[k], wide: true });
  const columns = [
    { title: "Segment", value: (k) => k, text: (k) => String(k + 1) },
    number("Model", () => screen.was), number("Yours", () => screen.now),
    number("Change", () => screen.difference, signed),
  ];
  if (screen.human) columns.push(number("People", () => screen.human));
  columns.push(words("Reference", () => screen.references), words("Translation", () => screen.hypotheses));
  rows = new Rows(byId("lab-segments"), "Segments with your weights", columns, screen.references.length, null);
}

export function setUpLaboratory() {
  byId("weights").addEventListener("submit", (event) => event.preventDefault());
  byId("undo").addEventListener("click", () => restore(past.pop()));
  byId("reset").addEventListener("click", () => {
    past.push(Object.entries(changed()));
    restore([...model.values]);
  });
  byId("save").addEventListener("click", async () => {
    complain(null);
    try {
      const name = byId("save-name").value.trim();
      const document_ = await post("/workbench/saved", { model: model.name, name, weights: changed() });
      download(`${name}.json`, `${JSON.stringify(document_, null, 2)}\n`, "application/json");
      const beside = model.heads.length ? ` Keep ${model.heads.join(", ")} beside it; the list of models has it.` : "";
      say(`${name}.json is downloaded.${beside}`);
    } catch (error) {
      complain(error);
    }
  });
}
