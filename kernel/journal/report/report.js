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
  if (minutes < 10) return `${minutes} min ${Math.floor(ms / 1000) % 60} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
function average(time) {
  return time.averageMs == null ? "unknown" : seconds(time.averageMs);
}

// --- masthead

function masthead() {
  const { player, aggregate, spent } = run;
  const terminal = run.run.terminal;
  const done = (aggregate.outcomes.accepted || 0) + (aggregate.outcomes.settled || 0);
  const tiles = turns.length ? turns[turns.length - 1].tiles : 0;
  const maps = run.maps.length;
  const facts = [
    ["Turns", whole.format(aggregate.turns), aggregate.recoveredTurns ? `${aggregate.recoveredTurns} recovered` : null],
    ["Done", aggregate.turns ? `${Math.round((100 * done) / aggregate.turns)} %` : "–", `${whole.format(done)} actions`],
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

// --- charts: one point for each turn, one cursor over all of them

const cursors = [];
function chart(title, { series, label, bars, top, scale }) {
  const output = make("output", {});
  const count = turns.length;
  const known = series.flatMap((one) => one.values.filter((value) => value != null));
  const card = make("figure", { class: "card charted" }, make("div", { class: "card-head" }, make("h3", {}, title), output));
  if (!known.length) {
    card.append(make("div", { class: "nothing" }, "not recorded in this journal"));
    return card;
  }
  const height = 100;
  const highest = top || Math.max(...known, 1e-9);
  const x = (index) => index + 0.5;
  const y = (value) => height - (value / highest) * height * 0.94;
  const image = draw("svg", { class: "chart", viewBox: `0 0 ${Math.max(count, 1)} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": title });
  for (const share of [0, 0.5, 1]) {
    image.append(draw("line", { class: "grid", x1: 0, x2: count, y1: y(highest * share), y2: y(highest * share) }));
  }
  for (const one of series) {
    const parts = [];
    let part = null;
    one.values.forEach((value, index) => {
      if (value == null) part = null;
      else if (part) part.push([x(index), y(value)]);
      else parts.push((part = [[x(index), y(value)]]));
    });
    for (const points of parts) {
      if (points.length === 1) points.push([points[0][0] + 0.4, points[0][1]]);
      const line = points.map(([px, py]) => `${px.toFixed(2)},${py.toFixed(2)}`).join("L");
      if (one.area) {
        image.append(draw("path", { class: `area ${one.tone}`, d: `M${points[0][0]},${height}L${line}L${points[points.length - 1][0]},${height}Z` }));
      }
      image.append(draw("path", { class: `trace ${one.tone}`, d: `M${line}` }));
    }
  }
  if (bars) bars(image, height);
  const cursor = draw("line", { class: "cursor", y1: 0, y2: height, visibility: "hidden" });
  image.append(cursor);
  const point = (index, telling) => {
    cursor.setAttribute("x1", x(index));
    cursor.setAttribute("x2", x(index));
    cursor.setAttribute("visibility", "visible");
    if (telling) output.textContent = `turn ${turns[index].turn}: ${label(index)}`;
  };
  cursors.push((index) => point(index, true));
  const at = (event) => {
    const box = image.getBoundingClientRect();
    return Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * count)));
  };
  image.addEventListener("pointermove", (event) => point(at(event), true));
  image.addEventListener("pointerleave", () => point(chosen, true));
  image.addEventListener("click", (event) => reveal(at(event)));
  const plot = make("div", { class: "plot" }, image, scale ? make("span", { class: "scale", "aria-hidden": "true" }, scale(highest)) : null);
  card.append(plot, make("div", { class: "axis" }, make("span", {}, `turn ${turns[0].turn}`), make("span", {}, `${turns[count - 1].turn}`)));
  if (series.some((one) => one.name)) {
    card.append(make("div", { class: "legend" }, ...series.filter((one) => one.name).map((one) =>
      make("span", { class: one.tone }, make("i", { class: "dot" }), one.name))));
  }
  return card;
}
function outcomesChart() {
  const levels = [...new Set(turns.map((turn) => turn.outcome))];
  const lanes = levels.sort((one, other) => run.aggregate.outcomes[other] - run.aggregate.outcomes[one]);
  const card = chart("Outcomes", {
    series: [{ values: turns.map(() => 0), tone: "quiet" }],
    top: 1,
    label: (index) => words(turns[index].outcome),
    bars: (image, height) => {
      const lane = height / lanes.length;
      turns.forEach((turn, index) => {
        image.append(draw("rect", { class: `bar ${tone(turn.outcome)}`, x: index + 0.08, width: 0.84, y: lanes.indexOf(turn.outcome) * lane + 1, height: Math.max(lane - 2, 1) }));
      });
    },
  });
  card.append(make("div", { class: "legend" }, ...lanes.map((name) =>
    make("span", { class: tone(name) }, make("i", { class: "dot" }), `${words(name)} ${run.aggregate.outcomes[name]}`))));
  return card;
}
function charts() {
  if (!turns.length) return;
  let cost = 0;
  const costs = turns.map((turn) => {
    if (turn.spent.tokens != null && cost != null) cost = turn.spent.cost == null ? null : cost + turn.spent.cost;
    return cost;
  });
  place("charts").append(
    outcomesChart(),
    chart("Tokens and cost", {
      series: [{ values: turns.map((turn) => turn.spent.tokens), tone: "plain", area: true }],
      scale: (most) => whole.format(most),
      label: (index) => {
        const { tokens } = turns[index].spent;
        return tokens == null ? "unknown" : `${whole.format(tokens)} tokens, ${dollars(costs[index])} so far`;
      },
    }),
    chart("Time", {
      series: [
        { name: "deciding", values: turns.map((turn) => turn.decisionMs), tone: "plain" },
        { name: "acting", values: turns.map((turn) => turn.actionMs), tone: "held" },
      ],
      scale: (most) => `${whole.format(most / 1000)} s`,
      label: (index) => `${seconds(turns[index].decisionMs)} deciding, ${seconds(turns[index].actionMs)} acting`,
    }),
    chart("Tiles reached", {
      series: [{ values: turns.map((turn) => (run.maps.length ? turn.tiles : null)), tone: "good", area: true }],
      scale: (most) => whole.format(most),
      label: (index) => `${whole.format(turns[index].tiles)} tiles`,
    }),
  );
}

// --- turns

let chosen = 0;
let rows = [];
const off = new Set();
const haystacks = turns.map((turn) =>
  [turn.turn, turn.outcome, turn.action, turn.effect, turn.detail, turn.advice, turn.thought, turn.intent, turn.objective, turn.notes,
    turn.heard, turn.reply, turn.speak, turn.place, ...turn.saw.filter((one) => !one.fixed).map((one) => one.text)]
    .filter((text) => text != null).join("\n").toLowerCase());

function list() {
  rows = turns.map((turn, index) => {
    const row = make("div", { class: `row ${tone(turn.outcome)}`, role: "option", id: `row-${index}`, "aria-selected": "false" },
      make("span", { class: "number" }, String(turn.turn)),
      make("span", { class: "dot", title: words(turn.outcome) }),
      make("span", { class: "action" }, turn.action || words(turn.outcome)),
      make("span", { class: "time" }, clock(turn.at)),
      make("span", { class: "effect" },
        make("span", { class: "unseen" }, `${words(turn.outcome)}. `),
        (turn.recovered ? "recovered: " : "") + (turn.effect || turn.detail || words(turn.outcome))));
    row.addEventListener("click", () => choose(index, true));
    return row;
  });
  const kinds = [...new Set(turns.map((turn) => turn.kind))].filter((kind) => kind != null).sort();
  place("kind").append(
    make("option", { value: "" }, "Every action"),
    ...kinds.map((kind) => make("option", { value: kind }, words(kind))));
  for (const [name, count] of Object.entries(run.aggregate.outcomes)) {
    const chip = make("button", { type: "button", class: `chip ${tone(name)}`, "aria-pressed": "true" },
      make("span", { class: "dot" }), words(name), make("b", {}, whole.format(count)));
    chip.addEventListener("click", () => {
      if (!off.delete(name)) off.add(name);
      chip.setAttribute("aria-pressed", String(!off.has(name)));
      filter();
    });
    place("outcomes").append(chip);
  }
  place("list").append(...rows, make("p", { class: "empty", hidden: "" }, turns.length ? "No turn is like that." : "This run has no turn."));
  place("search").addEventListener("input", filter);
  place("kind").addEventListener("input", filter);
  place("filters").addEventListener("submit", (event) => event.preventDefault());
}
function filter() {
  const wanted = place("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = place("kind").value;
  let found = 0;
  turns.forEach((turn, index) => {
    const shown = !off.has(turn.outcome) && (!kind || turn.kind === kind) && wanted.every((word) => haystacks[index].includes(word));
    rows[index].hidden = !shown;
    found += shown;
  });
  place("found").textContent = found === turns.length ? `${whole.format(found)} turns` : `${whole.format(found)} of ${whole.format(turns.length)} turns`;
  place("list").querySelector(".empty").hidden = found > 0;
}
function choose(index, open) {
  if (!turns.length) return;
  rows[chosen].setAttribute("aria-selected", "false");
  chosen = index;
  rows[index].setAttribute("aria-selected", "true");
  place("list").setAttribute("aria-activedescendant", rows[index].id);
  keepInView(rows[index]);
  inspect(turns[index], index);
  cursors.forEach((cursor) => cursor(index));
  marks.forEach((mark) => mark(index));
  if (open) document.body.classList.add("opened");
  history.replaceState(null, "", `#turn-${turns[index].turn}`);
}
function keepInView(row) {
  const box = place("list");
  const above = row.offsetTop - box.offsetTop;
  if (above < box.scrollTop) box.scrollTop = above - 8;
  else if (above + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = above + row.offsetHeight - box.clientHeight + 8;
}
function reveal(index) {
  choose(index, true);
  place("turns").scrollIntoView({ block: "start" });
}
function neighbour(step) {
  for (let index = chosen + step; index >= 0 && index < turns.length; index += step) {
    if (!rows[index].hidden) return index;
  }
  return null;
}
function move(step) {
  const index = neighbour(step);
  if (index != null) choose(index, document.body.classList.contains("opened"));
}
function edge(step) {
  const order = step > 0 ? turns.keys() : [...turns.keys()].reverse();
  for (const index of order) {
    if (!rows[index].hidden) return choose(index, false);
  }
}
function close() {
  document.body.classList.remove("opened");
  place("list").focus();
}

// --- the turn inspector

function passages(entries) {
  const told = entries.filter(([, text]) => text != null && text !== "");
  return told.length ? make("dl", { class: "passages" }, ...told.flatMap(([label, text, look]) =>
    [make("dt", {}, label), make("dd", { class: look }, text)])) : null;
}
function stage(title, look, ...children) {
  const told = children.filter((child) => child != null);
  return told.length ? make("div", { class: `stage ${look}` }, make("h4", {}, title), ...told) : null;
}
function shown(passage) {
  return [passage.label, passage.text, passage.fixed ? "fixed" : null];
}
function button(label, sign, action, off) {
  const made = make("button", { type: "button", "aria-label": label, title: label, disabled: off ? "" : null }, sign);
  made.addEventListener("click", action);
  return made;
}
function inspect(turn, index) {
  const back = make("button", { type: "button", class: "close" }, "Close");
  back.addEventListener("click", close);
  const spoken = turn.speak ? turn.speak + (turn.held ? " (held back by the rate gate)" : "") : null;
  const meta = [turn.at, turn.place, turn.recovered ? "recovered from its decision and action lines" : null];
  const times = [
    turn.decisionMs == null ? null : `${seconds(turn.decisionMs)} deciding`,
    turn.actionMs == null ? null : `${seconds(turn.actionMs)} acting`,
    turn.spent.tokens == null ? null : `${whole.format(turn.spent.tokens)} tokens`,
    turn.spent.cost == null ? null : `about ${dollars(turn.spent.cost)}`,
  ];
  const judged = Object.entries(turn.verdicts).filter(([, verdict]) => !["unknown", "not_applicable"].includes(verdict));
  place("inspector").replaceChildren(...[
    make("div", { class: "turn-head" },
      make("h3", {}, `Turn ${turn.turn}`),
      make("span", { class: `outcome ${tone(turn.outcome)}` }, make("span", { class: "dot" }), words(turn.outcome)),
      make("div", { class: "steps" },
        button("The turn before", "↑", () => move(-1), neighbour(-1) == null),
        button("The turn after", "↓", () => move(1), neighbour(1) == null),
        back)),
    make("p", { class: "meta" }, [...meta, ...times].filter(Boolean).join("  ·  ")),
    stage("Saw", "seen",
      turn.picture ? make("img", { src: turn.picture, alt: `The screen in turn ${turn.turn}` }) : null,
      passages([...turn.saw.map(shown), ["heard", turn.heard], ["picture", turn.pictureProblem]])),
    stage("Thought", "",
      turn.thought ? make("p", { class: "thought" }, turn.thought) : null,
      passages([["intent", turn.intent], ["objective", turn.objective], ["retired", turn.retired], ["notes", turn.notes], ["cut", turn.clipped.join(", ")]])),
    stage("Did", "", passages([["action", turn.action, "strong"], ["reply", turn.reply], ["said", spoken]])),
    stage("What changed", "", passages([["effect", turn.effect, "strong"], ["advice", turn.advice], ["detail", turn.effect ? null : turn.detail], ...turn.result.map(shown)])),
    judged.length ? stage("Verdicts", "", make("p", { class: "marks" }, ...judged.map(([name, verdict]) =>
      make("span", {}, `${verdictNames[name] || name} `, make("b", {}, words(verdict)))))) : null,
  ].filter((part) => part != null));
  place("inspector").scrollTop = 0;
}

// --- maps

const marks = [];
function maps() {
  if (!run.maps.length) return;
  place("maps").append(
    make("div", { class: "section-head" }, make("h2", {}, "Maps"), make("p", { class: "note" }, "○ first stop  ● last stop; lines join the stops of one turn after the other")),
    make("div", { class: "maps" }, ...run.maps.map(map)));
}
function map(one) {
  const width = one.rows[0].length;
  const height = one.rows.length;
  const across = Math.max(width + 1, 24);
  const down = Math.max(height + 1, 24);
  const image = draw("svg", { class: "map", viewBox: `${(width - across) / 2} ${(height - down) / 2} ${across} ${down}`, role: "img", "aria-label": `The path on ${one.name}` });
  const layers = { wall: "", floor: "", door: "" };
  one.rows.forEach((row, line) => {
    for (let from = 0; from < width; ) {
      let to = from + 1;
      while (to < width && row[to] === row[from]) to += 1;
      if (row[from] !== " ") layers[row[from] === "#" ? "wall" : row[from] === "." ? "floor" : "door"] += `M${from} ${line}h${to - from}v1h${from - to}z`;
      from = to;
    }
  });
  for (const [name, path] of Object.entries(layers)) if (path) image.append(draw("path", { class: name, d: path }));
  const steps = one.path.map(([index, x, y]) => [index, x - one.x + 0.5, y - one.y + 0.5]);
  if (steps.length) {
    let way = "";
    steps.forEach(([index, x, y], at) => {
      const left = at > 0 && index - steps[at - 1][0] > 1 && leftBetween(one.name, steps[at - 1][0], index);
      way += `${at === 0 || left ? "M" : "L"}${x} ${y}`;
    });
    const [, firstX, firstY] = steps[0];
    const [, lastX, lastY] = steps[steps.length - 1];
    image.append(
      draw("path", { class: "way", d: way }),
      draw("circle", { class: "first", cx: firstX, cy: firstY, r: 0.42 }),
      draw("circle", { class: "last", cx: lastX, cy: lastY, r: 0.42 }));
  }
  const here = draw("circle", { class: "here", r: 0.75, visibility: "hidden" });
  image.append(here);
  marks.push((index) => {
    const inside = turns[index].place === one.name;
    const step = inside ? steps.filter(([at]) => at <= index).pop() : null;
    here.setAttribute("visibility", step ? "visible" : "hidden");
    if (step) {
      here.setAttribute("cx", step[1]);
      here.setAttribute("cy", step[2]);
    }
  });
  return make("figure", { class: "card" },
    make("div", { class: "card-head" }, make("h3", { class: "map-name" }, one.name), make("output", {}, one.path.length === 1 ? "1 stop" : `${whole.format(one.path.length)} stops`)), image);
}
function leftBetween(name, from, to) {
  return turns.slice(from + 1, to).some((turn) => turn.place != null && turn.place !== name);
}

// --- verdicts

const verdictNames = {
  intentToAction: "Intent to action", goalToAction: "Goal to action", planContinuity: "Plan",
  movementEffectiveness: "Movement", sceneActionAppropriateness: "Action in scene",
  rejectionRecovery: "After a rejection", narration: "Narration",
};
function verdicts() {
  const counts = { ...run.aggregate, planContinuity: run.plan };
  const order = ["good", "plain", "other", "held", "bad", "quiet"];
  const entries = Object.keys(verdictNames).flatMap((name) => {
    const told = Object.entries(counts[name] || {}).sort(([one, a], [other, b]) =>
      order.indexOf(tone(one)) - order.indexOf(tone(other)) || b - a);
    if (!told.length) return [];
    const bar = make("div", { class: "stack", "aria-hidden": "true" }, ...told.map(([verdict, count]) => {
      const part = make("i", { class: tone(verdict) });
      part.style.flexGrow = count;
      return part;
    }));
    return [make("dt", {}, verdictNames[name]), make("dd", {}, bar, make("div", { class: "legend" }, ...told.map(([verdict, count]) =>
      make("span", { class: tone(verdict) }, make("i", { class: "dot" }), `${words(verdict)} ${whole.format(count)}`))))];
  });
  if (!entries.length) return;
  const stalls = run.aggregate.stalls;
  place("verdicts").append(
    make("div", { class: "section-head" }, make("h2", {}, "Verdicts")),
    make("dl", { class: "card judged" }, ...entries,
      make("dt", {}, "Stalls"),
      make("dd", {}, `${stalls.signalledTurns} turns signalled; at most ${stalls.maxTurnsSinceNewTile} turns without a new tile, ${stalls.maxRepeatedTurns} with the same effect, ${stalls.maxRecurringTurns} in recurring states`)));
}

// --- keys

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") {
    if (typing) event.target.blur();
    else close();
    return;
  }
  if (typing) {
    if (event.key === "Enter" && event.target.id === "search") edge(1);
    return;
  }
  const keys = { ArrowDown: () => move(1), j: () => move(1), ArrowUp: () => move(-1), k: () => move(-1), Home: () => edge(1), End: () => edge(-1), "/": () => place("search").focus(), Enter: () => choose(chosen, true) };
  const inReader = event.target.closest(".reader");
  const action = keys[event.key];
  const everywhere = ["j", "k", "/"].includes(event.key);
  if (!action || event.target.matches("button, a") || !(inReader || everywhere)) return;
  event.preventDefault();
  action();
});

masthead();
charts();
list();
maps();
verdicts();
filter();
place("colophon").append([`Journal version ${run.run.journalSchemaVersion}`, run.player.software, run.player.voice ? `voice ${run.player.voice}` : null, run.player.generation == null ? null : `driver generation ${run.player.generation}`].filter(Boolean).join("  ·  "));
const asked = turns.findIndex((turn) => `#turn-${turn.turn}` === location.hash);
if (turns.length) choose(Math.max(asked, 0), asked >= 0);
