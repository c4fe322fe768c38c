"use strict";
// Charts, maps and verdicts. All of them mark the turn that is chosen.

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
        return tokens == null ? "unknown" : `${whole.format(tokens)} tokens, ${costs[index] == null ? "cost unknown" : `${dollars(costs[index])} so far`}`;
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
    run.maps.length ? chart("Tiles reached", {
      series: [{ values: turns.map((turn) => turn.tiles), tone: "good", area: true }],
      scale: (most) => whole.format(most),
      label: (index) => `${whole.format(turns[index].tiles)} tiles`,
    }) : "",
  );
}

// --- maps

const marks = [];
function maps() {
  if (!run.maps.length) return;
  place("maps").append(
    make("div", { class: "section-head" }, make("h2", {}, "Maps"), make("div", { class: "legend" }, ...mapSigns.map(([sign, shape, told]) =>
      make("span", {}, draw("svg", { class: "key", viewBox: "-1 -1 2 2", "aria-hidden": "true" }, draw(shape.name, { class: sign, ...shape.at })), told)))),
    make("div", { class: "maps" }, ...run.maps.map(map)));
}
const tile = { name: "rect", at: { x: -0.8, y: -0.8, width: 1.6, height: 1.6 } };
const stop = { name: "circle", at: { r: 0.6 } };
const mapSigns = [
  ["wall", tile, "wall"], ["door", tile, "door"], ["first", stop, "first stop"], ["last", stop, "last stop"],
  ["way", { name: "path", at: { d: "M-0.8 0.5L0.8 -0.5" } }, "from stop to stop"],
  ["here", stop, "the chosen turn"],
];
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
  proofs: "Effects",
  intentToAction: "Intent to action", goalToAction: "Goal to action", planContinuity: "Plan",
  movementEffectiveness: "Movement", sceneActionAppropriateness: "Action in scene",
  rejectionRecovery: "After a rejection", narration: "Narration",
};
function verdicts() {
  const counts = { ...run.aggregate, planContinuity: run.plan, proofs: run.proofs };
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
