"use strict";
// Draws the page's charts from its data, into the elements that are there for them. Text goes into the page as text nodes only.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SERIES = 8;
  const UNITS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  const data = JSON.parse(document.querySelector("script.data").textContent);

  const add = (to, name, attributes, text, title) => {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text) made.textContent = text;
    if (title) add(made, "title", {}, title);
    to.append(made);
    return made;
  };
  const size = (svg, height) => svg.setAttribute("viewBox", "0 0 960 " + height);
  const series = index => "s" + index % SERIES;

  // ---- figures in words, as Text has them ----

  const unitOf = nanos => UNITS.find(([, each]) => nanos >= 2 * each) || UNITS[3];
  const figures = v => v === 0 ? "0" : v.toFixed(v >= 99.95 ? 0 : v >= 9.995 ? 1 : v >= 0.9995 ? 2 : 3);
  const time = nanos => {
    const [name, each] = UNITS.find(([, s]) => nanos >= 0.9995 * s) || UNITS[3];
    return figures(nanos / each) + " " + name;
  };
  const bytes = n => {
    const power = Math.min(4, Math.floor(Math.log2(Math.max(1, n)) / 10));
    return (power ? figures(n / 1024 ** power) : n) + " " + ["B", "KiB", "MiB", "GiB", "TiB"][power];
  };
  const count = n => n.toLocaleString("en-US");
  const shorten = (text, most) => [...text].length <= most ? text : [...text].slice(0, most - 1).join("") + "…";

  // ---- axes: ticks at 1, 2 or 5 times a power of ten ----

  const ticks = (low, high, about) => {
    const raw = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(raw));
    const lead = raw / power;
    const step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
    const all = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) {
      all.push(Number((n * step).toPrecision(12)));
    }
    return all;
  };
  const timeAxis = (svg, low, high, at, about, top, bottom, title) => axis(svg, low, high, at, about, top, bottom, title, unitOf(high - low));
  const axis = (svg, low, high, at, about, top, bottom, title, [name, each]) => {
    const axis = add(svg, "g", { class: "axis" });
    for (const tick of ticks(low / each, high / each, about)) {
      const x = at(tick * each);
      if (top !== null) add(axis, "line", { class: "grid", x1: x, y1: top, x2: x, y2: bottom });
      add(axis, "text", { class: "tick middle", x, y: bottom + 16 }, String(tick));
    }
    add(axis, "text", { class: "title middle", x: (at(low) + at(high)) / 2, y: bottom + 36 }, title + name);
  };

  // ---- wall times compared: box plots ----

  const ranking = (svg, { high, ratios, rows }) => {
    const LEFT = 190, RIGHT = 660, TOP = 8, ROW = 30;
    const bottom = TOP + ROW * rows.length;
    const at = nanos => LEFT + Math.min(1, nanos / high) * (RIGHT - LEFT);
    const best = Math.min(...rows.map(row => row.quantiles[2]));
    size(svg, bottom + 44);
    const shown = ratios ? figures : time;
    axis(svg, 0, high, at, 6, TOP, bottom, ratios ? "ratio" : "wall time of a job in ", ratios ? ["", 1] : unitOf(high));
    rows.forEach(({ name, group, note, jobs, singles, quantiles }, i) => {
      const y = TOP + ROW * i + ROW / 2;
      const own = series(group);
      const [low, lower, median, upper, top] = quantiles;
      add(svg, "text", { class: "label end", x: LEFT - 10, y: y + 4 }, shorten(name, 24));
      add(svg, "line", { class: "whisker " + own, x1: at(low), y1: y, x2: at(top), y2: y });
      for (const nanos of singles) {
        if (nanos <= high) add(svg, "circle", { class: "single " + own, cx: at(nanos), cy: y, r: 2 });
      }
      add(svg, "rect", {
        class: "box " + own, x: at(lower), y: y - 8, width: Math.max(1, at(upper) - at(lower)), height: 16,
      }, "", `${name}: median ${shown(median)}, quartiles ${shown(lower)} and ${shown(upper)}, ${jobs} ${ratios ? "runs" : "jobs"}`);
      add(svg, "line", { class: "median", x1: at(median), y1: y - 10, x2: at(median), y2: y + 10 });
      add(svg, "text", { class: "value end", x: RIGHT + 84, y: y + 4 }, shown(median));
      add(svg, "text", { class: "value end", x: RIGHT + 136, y: y + 4 }, "×" + figures(best / median));
      add(svg, "text", { class: "value", x: RIGHT + 152, y: y + 4 }, shorten(note, 18));
    });
  };

  // ---- jobs over the time at which they began: shares, as planned and done, or wall times, predicted and measured ----

  const lines = (svg, { run, jobs, together, percent }) => {
    const LEFT = 64, RIGHT = 944, TOP = 12, BOTTOM = 200;
    const rows = data.shared[jobs]; // of each: number, begin, wall time, predicted time, shares, planned shares
    const sorted = field => rows.map(row => row[field]).sort((a, b) => a - b);
    const middle = rows.length >> 1;
    const walls = sorted(2);
    const usual = Math.min(walls[walls.length - 1], 2.5 * walls[middle]); // what is far above is drawn at the upper edge
    const high = percent ? 1 : 1.15 * Math.max(1, usual, sorted(3)[middle]);
    const length = Math.max(1, rows[rows.length - 1][1]);
    const at = nanos => LEFT + 8 + nanos / length * (RIGHT - LEFT - 16);
    const up = value => Math.max(TOP, BOTTOM - value / high * (BOTTOM - TOP));
    const [name, each] = percent ? ["%", 0.01] : unitOf(high);
    size(svg, BOTTOM + 44);
    for (const tick of percent ? [0, 25, 50, 75, 100] : ticks(0, high / each, 5)) {
      const y = up(tick * each);
      add(svg, "line", { class: "grid", x1: LEFT, y1: y, x2: RIGHT, y2: y });
      add(svg, "text", { class: "tick end", x: LEFT - 6, y: y + 4 }, tick + " " + name);
    }
    timeAxis(svg, 0, length, at, 8, null, BOTTOM + 2, "time since the first of these jobs in ");
    const path = (classes, figure) => {
      let pen = "M", d = "";
      for (let i = 0; i < rows.length; i += together) {
        const known = rows.slice(i, i + together).map(figure).filter(value => value !== undefined);
        if (known.length) d += pen + at(rows[i][1]) + " " + up(known.reduce((a, b) => a + b) / known.length);
        pen = known.length ? "L" : "M";
      }
      if (d) add(svg, "path", { class: classes, d });
    };
    const dot = (classes, row, value, r, title) => add(svg, "circle", {
      class: "dot " + classes + (value > high ? " above" : ""), cx: at(row[1]), cy: up(value), r,
    }, "", title);
    if (percent) {
      data.shared[run].devices.forEach((device, i) => {
        path("plan " + series(i), row => row[5][i]);
        path("line " + series(i), row => row[4][i]);
        for (const row of rows.length <= 60 ? rows : []) {
          dot(series(i), row, row[4][i], 3, `${device}: ${(100 * row[4][i]).toFixed(1)} % of job ${row[0]}`);
        }
      });
    } else {
      const dotted = rows.filter((row, i) => i % together === 0);
      for (const row of dotted) {
        dot("s0", row, row[2], dotted.length > 100 ? 2.5 : 4,
            `job ${row[0]}: ${time(row[2])}` + (row[3] > 0 ? `, predicted ${time(row[3])}` : ""));
      }
      path("plan ink", row => row[3] > 0 ? row[3] : undefined);
    }
  };

  // ---- how busy stages and devices were, and what was under way: bars over time, a row for each ----

  const stages = (svg, { nanos, rows }) => {
    const LEFT = 170, RIGHT = 770, TOP = 24, ROW = 34, BAR = 28;
    const bottom = TOP + ROW * rows.length;
    const at = time => LEFT + time / Math.max(1, nanos) * (RIGHT - LEFT);
    size(svg, bottom + 44);
    timeAxis(svg, 0, Math.max(1, nanos), at, 8, TOP, bottom, "time in ");
    const text = (classes, x, y, words) => add(svg, "text", { class: classes, x, y }, words);
    text("tick end", RIGHT + 80, TOP - 8, "mean");
    text("tick end", RIGHT + 170, TOP - 8, "most");
    rows.forEach(({ name, series: own, mean, most, parts }, i) => {
      const foot = TOP + ROW * (i + 1);
      const width = (RIGHT - LEFT) / parts.length;
      text("label end", LEFT - 10, foot - 8, shorten(name, 22));
      add(svg, "line", { class: "row", x1: LEFT, y1: foot, x2: RIGHT, y2: foot });
      const d = parts.map(part => `V${foot - part * BAR}h${width}`).join("");
      add(svg, "path", { class: "area " + (own < 0 ? "ink" : series(own)), d: `M${LEFT} ${foot}${d}V${foot}` }, "",
          `${name}: mean ${mean}, most ${most}`);
      text("value end", RIGHT + 80, foot - 8, mean);
      text("value end", RIGHT + 170, foot - 8, most);
    });
  };

  // ---- chunks over time, a row for each device ----

  const LEFT = 84, RIGHT = 944, TOP = 22, ROW = 34, BAR = 24; // of the drawing
  const MOST_SINGLE = 2000; // more bars than that make browsers slow: then short ones are drawn together
  const VISIBLE = 0.75; // the shortest bar that is drawn by itself then
  const WIDE = 3; // the shortest bar that has an edge
  const FIELDS = 15; // numbers that a chunk has in the data; see RunSection
  const HINT = "drag over the chart to zoom";

  class Gantt {
    constructor(svg, chart) {
      Object.assign(this, { svg, chart }, data.shared[chart.run]);
      this.whole = [chart.from, Math.max(chart.to, chart.from + 1)];
      this.zero = chart.job === null ? 0 : chart.from;
      this.bottom = TOP + ROW * this.devices.length;
      size(svg, this.bottom + 44);
      svg.classList.add("zooms");
      this.tools();
      this.show(...this.whole);
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
      tools.append(this.says);
      this.svg.parentElement.before(tools);
    }

    show(from, to) {
      const [begin, end] = this.whole;
      const length = Math.min(Math.max(to - from, 10), end - begin);
      from = Math.min(Math.max(from, begin), end - length);
      to = from + length;
      this.shown = [from, to];
      this.scale = (RIGHT - LEFT) / length;
      const { svg, devices, chunks, chart } = this;
      const rows = devices.map(() => []);
      let drawn = 0;
      for (let i = 0; i < chunks.length && chunks[i + 1] <= to; i += FIELDS) {
        if (chunks[i + 1] + chunks[i + 2] >= from && (chart.job === null || chunks[i + 5] === chart.job)) {
          rows[chunks[i]].push(i);
          drawn += chunks[i + 13];
        }
      }
      svg.replaceChildren();
      timeAxis(svg, from - this.zero, to - this.zero, t => this.at(t + this.zero), 8, TOP, this.bottom, "time in ");
      devices.forEach((device, i) => {
        add(svg, "text", { class: "label end " + series(i), x: LEFT - 8, y: this.middle(i) + 4 }, shorten(device, 9));
        add(svg, "line", { class: "row", x1: LEFT, y1: this.middle(i), x2: RIGHT, y2: this.middle(i) });
      });
      const bars = add(svg, "g", { class: "bars" });
      rows.forEach((row, device) => this.row(bars, row, device, drawn <= MOST_SINGLE));
      this.marks(add(svg, "g", { class: "marks" }));
      this.says.textContent = length >= end - begin
        ? HINT : `${drawn} chunks from ${time(from - this.zero)} to ${time(to - this.zero)}`;
    }

    at(nanos) {
      return LEFT + (nanos - this.shown[0]) * this.scale;
    }

    middle(device) {
      return TOP + ROW * device + ROW / 2;
    }

    row(bars, row, device, single) {
      const { chunks, devices, scale } = this;
      const y = this.middle(device) - BAR / 2;
      for (let k = 0; k < row.length;) {
        const i = row[k];
        const start = chunks[i + 1];
        const joins = !single && chunks[i + 2] * scale < VISIBLE;
        let next = k, end = start, n = 0, units = 0, busy = 0;
        do {
          const each = row[next++];
          end = Math.max(end, chunks[each + 1] + chunks[each + 2]);
          units += chunks[each + 4];
          n += chunks[each + 13];
          busy += chunks[each + 14];
        } while (joins && next < row.length && chunks[row[next] + 2] * scale < VISIBLE
            && (chunks[row[next] + 1] + chunks[row[next] + 2] - start) * scale < 2 * VISIBLE);
        const x = Math.max(LEFT, this.at(start));
        const width = Math.max(n > 1 ? VISIBLE : 0, Math.min(RIGHT, this.at(end)) - x);
        const owner = chunks[i + 7];
        const stolen = n === 1 && owner !== device && owner >= 0 && owner < devices.length;
        const kind = n > 1 ? "many " : "";
        const look = n > 1 ? "" : (chunks[i + 6] % 2 ? " odd" : "") + ((end - start) * scale >= WIDE ? " wide" : "");
        const bar = add(bars, "rect", {
          class: "chunk " + kind + series(device) + look, x, y, width, height: BAR, "data-n": n,
        }, "", devices[device] + ": " + (n > 1
          ? `${n} chunks, ${count(units)} units, busy ${time(busy)} of ${time(end - start)}`
          : this.described(i, stolen)));
        if (n > 1) bar.setAttribute("fill-opacity", 0.25 + 0.75 * Math.min(1, busy / Math.max(1, end - start)));
        if (stolen) add(bars, "rect", { class: "from " + series(owner), x, y: y - 4, width, height: 3 });
        k = next;
      }
    }

    described(i, stolen) {
      const [, , took, first, units, job, phase, owner, kernels, transfers, bytesIn, bytesOut, waited] =
        this.chunks.slice(i, i + FIELDS);
      return `${count(units)} units from ${count(first)} in ${time(took)}; job ${job}, phase ${phase}; kernels `
        + time(kernels) + (transfers > 0
          ? `, transfers ${time(transfers)} (${bytes(bytesIn)} in, ${bytes(bytesOut)} out)` : "")
        + "; waited " + time(waited) + (stolen ? "; planned for " + this.devices[owner] : "");
    }

    /** Ends of phases, and faults. */
    marks(marks) {
      const [from, to] = this.shown;
      let last = -Infinity;
      for (const [at, phase] of this.chart.phases.filter(([at]) => at >= from && at <= to)) {
        const x = this.at(at);
        add(marks, "line", { class: "phase", x1: x, y1: TOP - 2, x2: x, y2: this.bottom });
        if (this.chart.phases.length > 1 && x - last > 70) { // labels must not lie on each other
          add(marks, "text", { class: "tick end", x: Math.max(x - 3, LEFT + 64), y: TOP - 8 }, `phase ${phase} ends`);
          last = x;
        }
      }
      const whole = to - from >= this.whole[1] - this.whole[0];
      for (const [at, device, what] of this.chart.faults.filter(([at]) => whole || (at >= from && at <= to))) {
        const x = Math.max(LEFT, Math.min(RIGHT, this.at(at)));
        const y = this.middle(device);
        const fault = add(marks, "g", { class: "fault" });
        const d = `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`;
        add(fault, "path", { class: "halo", d });
        add(fault, "path", { class: "cross", d });
        add(fault, "circle", { class: "hit", cx: x, cy: y, r: 9 }, "", this.devices[device] + ": " + what);
      }
    }

    place(event) {
      const box = this.svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width * 960, LEFT), RIGHT);
    }

    grab(event) {
      if (event.button !== 0) return;
      const first = this.place(event);
      const selection = add(this.svg, "rect", {
        class: "selection", x: first, y: TOP, width: 0, height: this.bottom - TOP,
      });
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
          const at = x => this.shown[0] + (x - LEFT) / this.scale;
          this.show(at(Math.min(first, last)), at(Math.max(first, last)));
        }
      };
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", drop);
      window.addEventListener("pointercancel", drop);
    }
  }

  const KINDS = { ranking, lines, stages, gantt: (svg, chart) => new Gantt(svg, chart) };
  document.querySelectorAll("svg[data-chart]").forEach(svg => {
    const chart = data.charts[svg.dataset.chart];
    KINDS[chart.kind](svg, chart);
  });
})();
