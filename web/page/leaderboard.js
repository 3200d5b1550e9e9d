// The view of a leaderboard: votes in, a table out that says how sure it is.

import { call } from "./core.js";
import { bullets, byId, drops, make, percent, save, say, trouble } from "./elements.js";

/** What the options of the program are called on this page. */
const OPTIONS = { by: "A board for each value of", style: "Style columns to take out", anchor: "Fixed item", since: "Only votes since", units: "Ratings in" };
const inWords = (sentence) => sentence.replace(/--(by|style|anchor|since|units)\b/g, (_, name) => `“${OPTIONS[name]}”`);

const NAMES = { elo: ["rating", 0], jod: ["JOD", 2], utility: ["utility", 2], "win-rate": ["win rate, %", 1] };

/** The file to rank, if it was not pasted. */
let file;

function options() {
  const value = (name) => byId(name).value.trim() || undefined;
  const style = value("style")?.split(",").map((column) => column.trim());
  return { units: value("units"), anchor: value("anchor"), style, by: value("by"), since: value("since") };
}

async function rank() {
  const pasted = byId("votes-text").value;
  const box = byId("votes-trouble");
  trouble(box);
  if (!file && !pasted.trim()) return trouble(box, new Error("there are no votes yet; choose a file or paste some"));
  byId("votes-busy").hidden = false;
  byId("rank").disabled = true;
  try {
    const votes = file ? new Uint8Array(await file.arrayBuffer()) : pasted;
    const report = await call("arena", votes, { name: file?.name ?? "votes", ...options() });
    draw(report);
    say(`${report.board[0].item} has the highest rating.`);
  } catch (error) {
    byId("board").hidden = true;
    trouble(box, new Error(inWords(error.message)));
  } finally {
    byId("votes-busy").hidden = true;
    byId("rank").disabled = false;
  }
}

function take(chosen) {
  file = chosen;
  byId("votes-text").value = "";
  return rank();
}

/** Everything that is known of the votes. */
function draw(report) {
  const board = byId("board");
  const concerns = report.audit.filter((finding) => finding.concern).map((finding) => inWords(finding.sentence));
  const rest = report.audit.filter((finding) => !finding.concern).map((finding) => inWords(finding.sentence));
  const parts = [
    make("h2", { id: "board-title" }, report.source),
    make("p", {}, summary(report)),
    concerns.length > 0 && make("div", { className: "trouble" }, make("h3", {}, "Look at this first"), bullets(concerns)),
    table(report, report.board),
    make("p", { className: "note" }, note(report)),
    ...(report.boards ?? []).flatMap(({ level, board: lines }) => [make("h3", {}, level), table(report, lines)]),
    bullets([...beside(report), ...report.warnings]),
    make("details", {}, make("summary", {}, "Audit: what else was looked at"), bullets(rest)),
    make("div", { className: "actions" },
      make("button", { type: "button", onclick: () => save(csv(report.board), "leaderboard.csv", "text/csv") }, "Save as CSV"),
      make("button", { type: "button", onclick: () => save(JSON.stringify(report, null, 1), "leaderboard.json", "application/json") }, "Save as JSON")),
  ];
  board.replaceChildren(...parts.filter(Boolean));
  board.hidden = false;
}

const number = (x) => x.toLocaleString("en");

function summary({ read, board }) {
  const [first] = board;
  const ties = read.ties ? `, ${percent(read.ties / read.votes)} of them ties` : "";
  return `${number(read.votes)} votes on ${read.items} items${ties}. ${first.item} has the highest rating, and is the best with a probability of ${percent(first.probability_best)}.`;
}

function note(report) {
  const scale = {
    elo: "Ratings are on Elo’s scale: 400 points are odds of 10 to 1.",
    jod: "Ratings are just-objectionable differences: 1 is a preference of 75 %.",
    utility: "Ratings are utilities in standard deviations of the noise of one item.",
    "win-rate": "The win rate is the probability of being preferred to one of the other items, a tie counting half.",
  };
  return `${scale[report.units]} Bars are 95 % intervals, and so are ranks. Items of one group, between two thick lines, cannot be distinguished from its first item. Kernel: ${report.kernel}.`;
}

function table(report, lines) {
  const [name, decimals] = NAMES[report.units];
  const shown = (x) => x.toFixed(decimals);
  const low = Math.min(...lines.map((line) => line.lower));
  const width = Math.max(...lines.map((line) => line.upper)) - low || 1;
  const at = (x) => `${(100 * (x - low)) / width}%`;
  const heads = ["rank", "item", name, "95 % interval", "votes", "ranks", "P(best)", "P(> next)"];
  const wide = new Set(["votes", "P(> next)"]);
  const head = heads.map((text) =>
    make("th", { scope: "col", className: `${text === "item" || text === "95 % interval" ? "" : "number"} ${wide.has(text) ? "wide" : ""}` }, text));
  const row = (line, i) => {
    const bar = make("i");
    Object.assign(bar.style, { left: at(line.lower), width: `${(100 * (line.upper - line.lower)) / width}%` });
    const point = make("b");
    point.style.left = at(line.rating);
    const interval = make("div", { className: "interval", role: "img", "aria-label": `${shown(line.lower)} to ${shown(line.upper)}`, title: `${shown(line.lower)} to ${shown(line.upper)}` }, bar, point);
    const cell = (text, className = "") => make("td", { className: `number ${className}` }, text);
    const above = line.probability_above_next;
    return make("tr", { className: i > 0 && line.group !== lines[i - 1].group ? "new-group" : "" },
      cell(String(line.rank)), make("th", { scope: "row" }, line.item), cell(shown(line.rating)), make("td", {}, interval),
      cell(number(line.votes), "wide"), cell(line.rank_low === line.rank_high ? String(line.rank_low) : `${line.rank_low}–${line.rank_high}`),
      cell(percent(line.probability_best)), cell(above === null ? "" : percent(above), "wide"));
  };
  return make("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Leaderboard" },
    make("table", { className: "board-table" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, lines.map(row))));
}

/** What was learned beside the ratings, a sentence each. */
function beside(report) {
  const out = [];
  const worth = (w) => `${w.rating.toFixed(1)} (95 %: ${w.lower.toFixed(1)} to ${w.upper.toFixed(1)})`;
  if (report.position) out.push(`Position: the left side is worth ${worth(report.position)}.`);
  for (const style of report.style) out.push(`Style: one standard deviation more of ${style.column} is worth ${worth(style)}; ratings are without it.`);
  if (report.read.numbers_of_sides.length) out.push(`Numbers of each side whose effect can be taken out: ${report.read.numbers_of_sides.join(", ")}.`);
  if (report.tie_between_equals !== null) out.push(`Ties: two equals tie with a probability of ${percent(report.tie_between_equals)}.`);
  if (report.next.length) out.push(`Ask next: ${report.next.map((pair) => pair.join(" against ")).join("; ")}.`);
  const apart = report.votes_to_separate;
  if (apart?.votes) out.push(`About ${number(apart.votes)} more votes between them would separate ${apart.first} from ${apart.second}, if they differ as it looks now.`);
  return out;
}

function csv(lines) {
  const keys = Object.keys(lines[0]);
  const cell = (value) => (typeof value === "string" && /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : (value ?? ""));
  return [keys.join(","), ...lines.map((line) => keys.map((key) => cell(line[key])).join(","))].map((line) => `${line}\n`).join("");
}

byId("votes-form").addEventListener("submit", (event) => {
  event.preventDefault();
  rank();
});
byId("votes-file").addEventListener("change", ({ target }) => target.files.length && take(target.files[0]));
byId("votes-text").addEventListener("input", () => (file = undefined));
byId("votes-example").addEventListener("click", async () => take(new File([await (await fetch("votes.jsonl")).blob()], "votes.jsonl")));
drops(byId("votes-drop"), ([first]) => take(first));
