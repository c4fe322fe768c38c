"use strict";
// The list of turns, the one that is open, and the keys. Starts the page when all else is defined.

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

// --- start

masthead();
charts();
list();
maps();
verdicts();
filter();
place("colophon").append([`Journal version ${run.run.journalSchemaVersion}`, run.player.software, run.player.voice ? `voice ${run.player.voice}` : null, run.player.generation == null ? null : `driver generation ${run.player.generation}`].filter(Boolean).join("  ·  "));
const asked = turns.findIndex((turn) => `#turn-${turn.turn}` === location.hash);
if (turns.length) choose(Math.max(asked, 0), asked >= 0);
