"use strict";
// Zooms into the charts of chunks. The geometry is that of GanttChart, which drew them; what it drew stays until somebody
// zooms. Text goes into the page as text nodes only.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LEFT = 84, RIGHT = 944, TOP = 22, ROW = 34, BAR = 24;
  const MOST_SINGLE = 2000, VISIBLE = 0.75, WIDE = 3, SERIES = 8, FIELDS = 8;
  const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];

  const runs = new Map();
  document.querySelectorAll("script.data").forEach(element => {
    runs.set(element.dataset.run, JSON.parse(element.textContent));
  });

  const element = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const unitOf = nanos => UNITS.find(([, size]) => nanos >= 2 * size) || UNITS[3];
  const time = nanos => {
    const [name, size] = UNITS.find(([, s]) => nanos >= 0.9995 * s) || UNITS[3];
    return Number((nanos / size).toPrecision(3)) + " " + name;
  };
  const series = device => "s" + ((device % SERIES) + SERIES) % SERIES;

  class Gantt {
    constructor(svg, data) {
      this.svg = svg;
      this.data = data;
      this.job = svg.dataset.job === "" ? null : Number(svg.dataset.job);
      this.whole = [Number(svg.dataset.from), Number(svg.dataset.to)];
      if (!(this.whole[1] > this.whole[0])) this.whole[1] = this.whole[0] + 1;
      this.zero = this.job === null ? 0 : this.whole[0];
      this.shown = this.whole.slice();
      this.original = svg.innerHTML;
      svg.classList.add("zooms");
      this.tools();
      svg.addEventListener("pointerdown", e => this.grab(e));
      svg.addEventListener("dblclick", () => this.show(...this.whole));
    }

    tools() {
      const tools = document.createElement("div");
      tools.className = "tools";
      const button = (text, label, act) => {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = text;
        made.setAttribute("aria-label", label);
        made.addEventListener("click", act);
        tools.append(made);
      };
      const by = (move, factor) => () => {
        const length = this.shown[1] - this.shown[0];
        const middle = (this.shown[0] + this.shown[1]) / 2 + move * length;
        this.show(middle - length * factor / 2, middle + length * factor / 2);
      };
      button("+", "zoom in", by(0, 0.5));
      button("−", "zoom out", by(0, 2));
      button("◀", "earlier", by(-0.5, 1));
      button("▶", "later", by(0.5, 1));
      button("all", "show all", () => this.show(...this.whole));
      this.says = document.createElement("output");
      this.says.textContent = "drag over the chart to zoom";
      tools.append(this.says);
      this.svg.parentElement.before(tools);
    }

    show(from, to) {
      const [begin, end] = this.whole;
      const length = Math.min(Math.max(to - from, 10), end - begin);
      from = Math.min(Math.max(from, begin), end - length);
      this.shown = [from, from + length];
      if (length >= end - begin) {
        this.svg.innerHTML = this.original;
        this.says.textContent = "drag over the chart to zoom";
      } else {
        this.draw();
      }
    }

    draw() {
      const [from, to] = this.shown;
      const scale = (RIGHT - LEFT) / (to - from);
      const at = nanos => LEFT + (nanos - from) * scale;
      const { chunks, devices } = this.data;
      const visible = devices.map(() => []);
      let count = 0;
      for (let i = 0; i < chunks.length; i += FIELDS) {
        const start = chunks[i + 1];
        if (start > to) break;
        if (start + chunks[i + 2] >= from && (this.job === null || chunks[i + 5] === this.job)) {
          visible[chunks[i]].push(i);
          count++;
        }
      }
      const bars = element("g", { class: "bars" });
      visible.forEach((row, device) => this.row(bars, row, device, at, scale, count <= MOST_SINGLE));
      this.svg.querySelector(".bars").replaceWith(bars);
      const marks = this.svg.querySelector(".marks");
      if (marks) marks.remove(); // they are drawn for the whole
      this.axis(at, TOP + ROW * devices.length);
      this.says.textContent = count + " chunks from " + time(from - this.zero) + " to " + time(to - this.zero);
    }

    row(bars, row, device, at, scale, single) {
      const { chunks, devices } = this.data;
      const y = TOP + ROW * device + (ROW - BAR) / 2;
      const add = (classes, first, last, n, opacity, title) => {
        const x = Math.max(LEFT, at(first));
        const width = Math.max(n > 1 ? VISIBLE : 0, Math.min(RIGHT, at(last)) - x);
        const bar = element("rect", { class: classes, x, y, width, height: BAR, "data-n": n });
        if (opacity < 1) bar.setAttribute("fill-opacity", opacity);
        bar.append(element("title", {}, title));
        bars.append(bar);
        return [x, width];
      };
      for (let k = 0; k < row.length;) {
        const i = row[k];
        const start = chunks[i + 1];
        let next = k + 1, end = start + chunks[i + 2], busy = chunks[i + 2];
        if (!single && chunks[i + 2] * scale < VISIBLE) {
          while (next < row.length && chunks[row[next] + 2] * scale < VISIBLE
              && (chunks[row[next] + 1] + chunks[row[next] + 2] - start) * scale < 2 * VISIBLE) {
            end = Math.max(end, chunks[row[next] + 1] + chunks[row[next] + 2]);
            busy += chunks[row[next] + 2];
            next++;
          }
        }
        if (next > k + 1) {
          const dense = 0.25 + 0.75 * Math.min(1, busy / Math.max(1, end - start));
          add("chunk many " + series(device), start, end, next - k, dense,
              devices[device] + ": " + (next - k) + " chunks, busy " + time(busy) + " of " + time(end - start));
        } else {
          const [first, units, job, phase, owner] = chunks.slice(i + 3, i + FIELDS);
          const stolen = owner !== device && owner >= 0 && owner < devices.length;
          const [x, width] = add("chunk " + series(device) + (phase % 2 ? " odd" : "")
              + (chunks[i + 2] * scale >= WIDE ? " wide" : ""), start, end, 1, 1,
              devices[device] + ": " + units + " units from " + first + " in " + time(end - start) + "; job " + job
              + ", phase " + phase + (stolen ? "; planned for " + devices[owner] : ""));
          if (stolen) {
            bars.append(element("rect", { class: "from " + series(owner), x, y: y - 4, width, height: 3 }));
          }
        }
        k = next;
      }
    }

    axis(at, bottom) {
      const [from, to] = this.shown;
      const [name, size] = unitOf(to - from);
      const raw = (to - from) / size / 8;
      const power = 10 ** Math.floor(Math.log10(raw));
      const lead = raw / power;
      const step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
      const axis = element("g", { class: "axis" });
      for (let n = Math.ceil((from - this.zero) / size / step); n * step <= (to - this.zero) / size; n++) {
        const x = at(n * step * size + this.zero);
        axis.append(element("line", { class: "grid", x1: x, y1: TOP, x2: x, y2: bottom }));
        axis.append(element("text", { class: "tick middle", x, y: bottom + 16 }, String(Number((n * step).toPrecision(12)))));
      }
      axis.append(element("text", { class: "title middle", x: (LEFT + RIGHT) / 2, y: bottom + 36 }, "time in " + name));
      this.svg.querySelector(".axis").replaceWith(axis);
    }

    place(event) {
      const box = this.svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width * 960, LEFT), RIGHT);
    }

    grab(event) {
      if (event.button !== 0) return;
      const first = this.place(event);
      const bottom = TOP + ROW * this.data.devices.length;
      const selection = element("rect", { class: "selection", x: first, y: TOP, width: 0, height: bottom - TOP });
      this.svg.append(selection);
      const move = e => {
        selection.setAttribute("x", Math.min(first, this.place(e)));
        selection.setAttribute("width", Math.abs(this.place(e) - first));
      };
      const drop = e => {
        window.removeEventListener("pointermove", move);
        window.removeEventListener("pointerup", drop);
        window.removeEventListener("pointercancel", drop);
        selection.remove();
        const last = this.place(e);
        if (e.type === "pointerup" && Math.abs(last - first) > 4) {
          const per = (this.shown[1] - this.shown[0]) / (RIGHT - LEFT);
          const begin = this.shown[0];
          this.show(begin + (Math.min(first, last) - LEFT) * per, begin + (Math.max(first, last) - LEFT) * per);
        }
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", drop);
      window.addEventListener("pointercancel", drop);
    }
  }

  document.querySelectorAll("svg.gantt").forEach(svg => {
    const data = runs.get(svg.dataset.run);
    if (data) new Gantt(svg, data);
  });
})();
