// A table of segments, the first of them at once and the others when the end of the list comes into view.

import { element } from "./elements.js";

const STEP = 100;

export class Rows {
  // columns: [{title, value(k), text(k), wide}]; count: how many segments; choose(k): a row was chosen, or null.
  constructor(place, label, columns, count, choose) {
    Object.assign(this, { columns, count, choose, current: 0, listed: Math.min(STEP, count) });
    this.order = Array.from({ length: count }, (_, k) => k);
    this.sorted = null;
    this.heads = columns.map((column, c) => element("th", { scope: "col", class: column.wide ? "words" : null },
      element("button", { class: "link", type: "button", onclick: () => this.sort(c) }, column.title)));
    this.body = element("tbody");
    this.table = element("table", { class: "chart plain segments", "aria-rowcount": String(count + 1), "aria-label": label },
      element("thead", {}, element("tr", { "aria-rowindex": "1" }, ...this.heads)), this.body);
    this.more = element("button", { class: "button", type: "button", onclick: () => this.extend(this.listed + STEP) }, "Show more segments");
    this.view = element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": label }, this.table, this.more);
    this.view.addEventListener("keydown", (event) => this.key(event));
    place.replaceChildren(this.view);
    this.draw();
    new IntersectionObserver(([end]) => end.isIntersecting && this.extend(this.listed + STEP),
      { root: this.view, rootMargin: "600px 0px" }).observe(this.more);
  }

  sort(c) {
    const { value } = this.columns[c];
    const down = this.sorted === c && !this.down;
    Object.assign(this, { sorted: c, down });
    const sign = down ? -1 : 1;
    this.order.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (x < y ? -sign : x > y ? sign : 0) || a - b;
    });
    this.heads.forEach((head, k) => {
      if (k === c) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.draw();
  }

  key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
    if (event.target !== this.view) return;
    if (event.key in steps) {
      this.mark(Math.max(0, Math.min(this.count - 1, this.current + steps[event.key])));
      this.body.children[this.current].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    } else if (event.key === "Enter" && this.choose) {
      this.choose(this.order[this.current]);
      event.preventDefault();
    }
  }

  mark(place) {
    this.extend(place + 1);
    this.body.children[this.current].removeAttribute("aria-current");
    this.current = place;
    this.body.children[place].setAttribute("aria-current", "true");
  }

  extend(count) {
    this.listed = Math.max(this.listed, Math.min(count, this.count));
    this.body.append(...this.order.slice(this.body.children.length, this.listed).map((k) => this.row(k)));
    this.more.hidden = this.listed === this.count;
  }

  row(k) {
    const cells = this.columns.map((column, c) => element(c ? "td" : "th", {
      scope: c ? null : "row", class: column.wide ? "words" : null, dir: column.wide ? "auto" : null, "data-head": column.title,
    }, column.text(k)));
    const row = element("tr", { "data-segment": String(k) }, ...cells);
    row.addEventListener("click", () => {
      this.mark([...this.body.children].indexOf(row));
      if (this.choose) this.choose(k);
    });
    return row;
  }

  draw() {
    this.body.replaceChildren();
    this.extend(this.listed);
    [...this.body.children].forEach((row, place) => row.setAttribute("aria-rowindex", String(place + 2)));
    if (this.count) this.mark(this.current);
  }
}
