"use strict";
// Every text of the run enters the page through text nodes and attributes set here, never as markup.

// What would turn the direction of writing, or cannot be seen, is shown as a replacement mark.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const run = JSON.parse(document.getElementById("data").textContent, (_, value) => (typeof value === "string" ? value.replace(unseen, "\ufffd") : value));
const turns = run.turns;
const place = (id) => document.getElementById(id);
const tones = {
  accepted: "good", settled: "good", waited: "plain",
  rejected_by_adapter: "held", action_failed: "held",
  mind_failed: "bad", invalid_decision: "bad", failed: "bad", crashed: "bad", hung: "bad",
  verified: "good", refuted: "held",
  effective: "good", aligned: "good", appropriate: "good", recovered: "good", played: "good", continued: "good",
  ineffective: "held", misaligned: "held", inappropriate: "held", repeated: "held", changed_without_success: "held",
  suppressed: "held", refused: "bad", unspoken: "other", cleared: "plain", changed: "other",
  stopped: "plain", finished: "plain", idle: "plain",
  unknown: "quiet", not_applicable: "quiet", model_silent: "quiet", no_attempt: "quiet",
};
const tone = (name) => tones[name] || "other";
const words = (name) => String(name).replaceAll("_", " ");
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const seconds = (ms) => (ms == null ? "unknown" : `${(ms / 1000).toFixed(1)} s`);
const clock = (at) => (at ? at.slice(11, 19) : "");
const dollars = (cost) => (cost == null ? "unknown" : `$${cost < 1 ? cost.toFixed(4) : cost.toFixed(2)}`);

function make(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function draw(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}
function long(ms) {
  if (ms == null) return "unknown";
  const minutes = Math.floor(ms / 60000);
  if (minutes === 0) return `${Math.floor(ms / 1000)} s`;
  if (minutes < 10) return `${minutes} min ${Math.floor(ms / 1000) % 60} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
function average(time) {
  return time.averageMs == null ? "unknown" : seconds(time.averageMs);
}

// --- masthead

function masthead() {
  const { player, aggregate, proofs, spent } = run;
  const terminal = run.run.terminal;
  const { verified = 0, refuted = 0, unknown = 0 } = proofs;
  const proved = verified + refuted + unknown;
  const done = (aggregate.outcomes.accepted || 0) + (aggregate.outcomes.settled || 0);
  const tiles = turns.length ? turns[turns.length - 1].tiles : 0;
  const maps = run.maps.length;
  const facts = [
    ["Turns", whole.format(aggregate.turns), aggregate.recoveredTurns ? `${aggregate.recoveredTurns} recovered` : null],
    proved ? ["Verified", `${Math.round((100 * verified) / proved)} %`, `${whole.format(verified)} actions; ${whole.format(refuted)} refuted, ${whole.format(unknown)} unknown`]
      : ["Done", aggregate.turns ? `${Math.round((100 * done) / aggregate.turns)} %` : "–", `${whole.format(done)} actions`],
    ["Played", long(run.durationMs), run.run.startedAt.slice(0, 16).replace("T", " ") + " UTC"],
    ["Deciding", average(aggregate.timing.decision), "on average"],
    ["Acting", average(aggregate.timing.action), "on average"],
    maps ? ["Tiles", whole.format(tiles), `on ${maps} ${maps === 1 ? "map" : "maps"}`] : null,
    spent.tokens == null ? null : ["Tokens", whole.format(spent.tokens), aggregate.turns ? `${whole.format(spent.tokens / aggregate.turns)} a turn` : null],
    spent.tokens == null ? null : ["Cost", dollars(spent.cost), spent.cost == null ? "no price is known" : spent.estimated ? "estimate, in part reserves" : "estimate"],
  ];
  const said = {
    summary: "by the journal's summary",
    lifecycle: "by its lifecycle event",
    unknown: "no summary and no lifecycle event says how it ended",
  }[terminal.source];
  const agree = terminal.lifecycleConsistent;
  place("masthead").append(
    make("p", { class: "overline" }, "Run report"),
    make("h1", {}, [player.environment || run.run.scenarioId, player.mind].filter(Boolean).join(" · ")),
    make("p", { class: "identity" }, [run.run.runId, player.journey].filter(Boolean).join("  ·  ") || "a run without a name"),
    make("p", { class: `ended ${terminal.outcome ? tone(terminal.outcome) : "quiet"}` },
      make("span", { class: "dot" }),
      make("span", {}, make("b", {}, terminal.outcome ? words(terminal.outcome) : "End unknown"), `, ${said}`,
        agree == null ? null : agree ? "; the lifecycle event agrees" : "; the lifecycle event says otherwise")),
    make("dl", { class: "facts" }, ...facts.filter(Boolean).map(([name, value, more]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, value, more ? make("small", {}, more) : null)))),
    player.persona ? make("p", { class: "persona" }, `Persona: ${player.persona}`) : "",
    run.remarks.length ? make("ul", { class: "remarks" }, ...run.remarks.map((remark) => make("li", {}, remark))) : "",
  );
}
