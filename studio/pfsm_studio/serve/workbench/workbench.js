// The workbench: its tabs, and what happens when the page opens.

import { onToken } from "./client.js";
import { byId, complain, say } from "./elements.js";
import { openLaboratory, setUpLaboratory } from "./laboratory.js";
import { refreshModels } from "./models.js";
import { score } from "./results.js";
import { addSystem, giveExample, takeFile } from "./texts.js";

const tabs = [...document.querySelectorAll("[role=tab]")];

function choose(tab, focus = false) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
  complain(null);
  say("");
  history.replaceState(null, "", `#${tab.id.slice("tab-".length)}`);
  if (tab.id === "tab-weights") openLaboratory();
}

tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    choose(tabs.at(to % tabs.length), true);
    event.preventDefault();
  });
});

document.addEventListener("change", (event) => {
  if (event.target.matches("input[type=file][data-for]")) takeFile(event.target).catch(complain);
});
byId("score").addEventListener("click", score);
byId("example").addEventListener("click", () => {
  giveExample();
  score();
});
byId("add-system").addEventListener("click", addSystem);
byId("model").addEventListener("change", () => {
  if (!byId("panel-weights").hidden) openLaboratory();
});
addSystem();
setUpLaboratory();
onToken(() => refreshModels().catch(complain));
refreshModels().then(() => {
  const asked = byId(`tab-${location.hash.slice(1)}`);
  if (asked && asked.id !== "tab-texts") choose(asked);
  document.body.dataset.ready = "true";
}).catch(complain);
