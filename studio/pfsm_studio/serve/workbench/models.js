// The models of the server: listed, chosen, downloaded.

import { call, get } from "./client.js";
import { byId, complain, download, element, table } from "./elements.js";

export async function refreshModels() {
  const chosen = byId("model").value;
  const found = await get("/v1/models");
  byId("model").replaceChildren(...found.models.map((model) => element("option", { value: model.name }, model.name)));
  byId("model").value = found.models.some((model) => model.name === chosen) ? chosen : found.default;
  byId("model-list").replaceChildren(table("Models", ["Name", "Language", "From", "Trained on", "Licence", "Fingerprint", "Download"],
    found.models.map((model) => [model.name, model.language, model.origin,
      model.judgments ? `${model.judgments} judgments` : "–", model.licence, model.fingerprint, links(model)])));
}

function links(model) {
  const path = `/workbench/models/${encodeURIComponent(model.name)}`;
  const button = (text, label, work) => element("button", { class: "button", type: "button", "aria-label": label,
    onclick: () => work().catch(complain) }, text);
  const cell = element("span", {}, button("model", `Download ${model.name}`, async () => {
    const document_ = await get(`${path}/document`);
    download(`${model.name}.json`, `${JSON.stringify(document_, null, 2)}\n`, "application/json");
  }));
  if (model.features.some((name) => name.startsWith("encoder("))) {
    cell.append(" ", button("encoder", `Download what ${model.name} learned over an encoder`, async () => {
      const { heads } = await get(path);
      download(heads[0], await (await call("GET", `${path}/head`)).blob(), "application/octet-stream");
    }));
  }
  return cell;
}
