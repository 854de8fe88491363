// Elements of the page; texts are always set as text, never as markup.

export const byId = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

export function table(caption, heads, rows) {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map(([first, ...others]) => element("tr", {},
    element("th", { scope: "row" }, first), ...others.map((text, k) => element("td", { "data-head": heads[k + 1] }, text))));
  return element("table", { class: "chart plain" }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body));
}

export const shown = (value) => (value === null || value === undefined ? "–" : value.toFixed(4).replace("-", "−"));
export const signed = (value) => `${value > 0 ? "+" : ""}${shown(value)}`;

export function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function say(text) {
  byId("status").textContent = text;
}

export function complain(error) {
  const node = byId("problem");
  node.hidden = !error;
  node.textContent = error ? error.message : "";
  if (error) say("");
}
