// Training on an uploaded table: progress, cancelling, the report, and the new model.

import { call, get, post } from "./client.js";
import { byId, complain, element, say } from "./elements.js";

const PAUSE = 500;
let current = null;

export function setUpTraining(refreshModels) {
  byId("training-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    complain(null);
    try {
      const table = await byId("training-file").files[0].text();
      const body = { name: byId("training-name").value.trim(), table };
      if (byId("training-language").value.trim()) body.language = byId("training-language").value.trim();
      if (byId("training-init").value) body.init = byId("training-init").value;
      byId("training-report").replaceChildren();
      current = await post("/workbench/trainings", body);
      running(true);
      say(`Training ${current.name} …`);
      await follow(refreshModels);
    } catch (error) {
      complain(error);
      running(false);
    }
  });
  byId("cancel").addEventListener("click", async () => {
    try {
      await call("DELETE", `/workbench/trainings/${current.id}`);
    } catch (error) {
      complain(error);
    }
  });
}

function running(yes) {
  byId("train").disabled = yes;
  byId("cancel").disabled = !yes;
}

async function follow(refreshModels) {
  const log = byId("training-log");
  for (;;) {
    current = await get(`/workbench/trainings/${current.id}`);
    const text = current.lines.join("\n");
    if (log.textContent !== text) {
      log.textContent = text;
      log.scrollTop = log.scrollHeight;
    }
    if (current.state !== "running") break;
    await new Promise((done) => setTimeout(done, PAUSE));
  }
  running(false);
  if (current.state === "done") {
    await refreshModels();
    const address = `/workbench/trainings/${current.id}/report`;
    byId("training-report").replaceChildren(
      element("h2", {}, `What ${current.name} has learned`),
      element("p", {}, element("a", { href: address, target: "_blank", rel: "noopener" }, "Open the page in a new tab")),
      element("iframe", { class: "page", sandbox: "allow-scripts", title: `Report on ${current.name}`, src: address }));
    say(`${current.name} is trained; it is among the models now.`);
  } else if (current.state === "cancelled") {
    say("The training is cancelled.");
  } else {
    complain(new Error(current.lines.at(-1) ?? "The training has failed."));
  }
}
