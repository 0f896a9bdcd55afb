// Presses the buttons of the first chart of chunks; returns how many chunks each bar stands for.
const svg = document.querySelector("svg.gantt");
const tools = svg.parentElement.previousElementSibling;
const count = () => [...svg.querySelectorAll("rect.chunk")].map(r => Number(r.dataset.n));
const press = label => tools.querySelector(`[aria-label="${label}"]`).click();
const before = count();
press("zoom in");
press("earlier");
const part = count();
press("later");
press("later");
const rest = count();
press("show all");
for (let i = 0; i < 8; i++) press("zoom in");
const near = count();
const says = tools.querySelector("output").textContent;
press("show all");
return { before, part, rest, near, says, after: count() };
