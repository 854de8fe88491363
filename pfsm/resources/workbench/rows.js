// A table of segments of which only the rows near the window of the list are drawn: thousands scroll smoothly.

import { element } from "./elements.js";

const HEIGHT = 66;
const SPARE = 8;

export class Rows {
  // columns: [{title, value(k), text(k), wide}]; count: how many segments; choose(k): a row was chosen, or null.
  constructor(place, label, columns, count, choose) {
    Object.assign(this, { columns, count, choose, current: 0 });
    this.order = Array.from({ length: count }, (_, k) => k);
    this.sorted = null;
    const heads = columns.map((column, c) => element("th", { scope: "col", class: column.wide ? "wide-cell" : "number" },
      element("button", { type: "button", onclick: () => this.sort(c) }, column.title)));
    this.heads = heads;
    this.body = element("tbody");
    this.table = element("table", { "aria-rowcount": String(count + 1), "aria-label": label },
      element("thead", {}, element("tr", { "aria-rowindex": "1" }, ...heads)), this.body);
    this.view = element("div", { class: "rows", tabindex: "0", role: "region", "aria-label": label }, this.table);
    this.view.addEventListener("scroll", () => this.draw());
    this.view.addEventListener("keydown", (event) => this.key(event));
    place.replaceChildren(this.view);
    this.draw();
    // Drawn again when the height of the list is known.
    new ResizeObserver(() => this.draw()).observe(this.view);
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
    if (event.target !== this.view && !event.target.closest("tbody")) return;
    if (event.key in steps) {
      this.current = Math.max(0, Math.min(this.count - 1, this.current + steps[event.key]));
      const top = this.current * HEIGHT;
      const room = this.view.clientHeight - 2 * HEIGHT;
      if (top < this.view.scrollTop) this.view.scrollTop = top;
      if (top > this.view.scrollTop + room) this.view.scrollTop = top - room;
      this.draw();
      event.preventDefault();
    } else if (event.key === "Enter" && this.choose) {
      this.choose(this.order[this.current]);
      event.preventDefault();
    }
  }

  draw() {
    const first = Math.max(0, Math.floor(this.view.scrollTop / HEIGHT) - SPARE);
    const last = Math.min(this.count, first + Math.ceil((this.view.clientHeight || 600) / HEIGHT) + 2 * SPARE);
    const gap = (rows) => element("tr", { class: "gap", "aria-hidden": "true" },
      element("td", { colspan: String(this.columns.length) }));
    const before = gap();
    const after = gap();
    before.firstChild.style.height = `${first * HEIGHT}px`;
    after.firstChild.style.height = `${(this.count - last) * HEIGHT}px`;
    const drawn = [];
    for (let place = first; place < last; place += 1) {
      const k = this.order[place];
      const cells = this.columns.map((column) => {
        const text = column.text(k);
        return element("td", { class: column.wide ? "wide-cell" : "number", dir: column.wide ? "auto" : null },
          column.wide ? element("span", {}, text) : text);
      });
      const row = element("tr", { "aria-rowindex": String(place + 2), "data-segment": String(k),
        class: place === this.current ? "current" : null, "aria-current": place === this.current ? "true" : null }, ...cells);
      row.addEventListener("click", () => {
        this.current = place;
        this.draw();
        if (this.choose) this.choose(k);
      });
      drawn.push(row);
    }
    this.body.replaceChildren(before, ...drawn, after);
  }
}
