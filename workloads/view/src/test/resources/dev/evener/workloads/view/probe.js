// What a reader sees of a page: bars of charts, colours of text and what is behind it, labels that collide.
document.querySelectorAll("details").forEach(d => { d.open = true; });

const charts = [...document.querySelectorAll("svg.gantt")].map(svg => ({
  label: svg.getAttribute("aria-label"),
  width: svg.getBoundingClientRect().width,
  bars: [...svg.querySelectorAll("rect.chunk")].map(r => {
    const matrix = svg.getScreenCTM(); // a bounding box would count the stroke
    return [r.x.baseVal.value * matrix.a, r.width.baseVal.value * matrix.a, Number(r.dataset.n)];
  }),
  ticks: [...svg.querySelectorAll("text.tick.middle")].map(t => [Number(t.textContent), t.x.baseVal[0].value * svg.getScreenCTM().a]),
}));

const overlaps = [];
document.querySelectorAll("svg").forEach(svg => {
  const whole = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
  texts.forEach(([text, box], i) => {
    if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1) {
      overlaps.push(text + " sticks out of " + svg.getAttribute("aria-label"));
    }
    texts.slice(i + 1).forEach(([other, b]) => {
      if (box.left < b.right - 1 && b.left < box.right - 1 && box.top < b.bottom - 2 && b.top < box.bottom - 2) {
        overlaps.push(text + " | " + other + " in " + svg.getAttribute("aria-label"));
      }
    });
  });
});

const behind = element => {
  for (let e = element; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return "rgb(255, 255, 255)";
};
const colours = new Map();
document.querySelectorAll("body, body *").forEach(e => {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || ["SCRIPT", "STYLE", "title"].includes(e.tagName)) return;
  const style = getComputedStyle(e);
  const pair = [e instanceof SVGElement ? style.fill : style.color, behind(e)];
  colours.set(pair.join(), pair);
});

return {
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
  charts,
  overlaps,
  colours: [...colours.values()],
  images: document.querySelectorAll("img, iframe, object, embed").length,
};
