// Scores of the texts, the comparison of systems, and explanations of segments.

import { call, post } from "./client.js";
import { byId, complain, element, say, shown, signed, table } from "./elements.js";
import { explanation } from "./explanation.js";
import { Rows } from "./rows.js";
import { texts } from "./texts.js";

const interval = (ends) => (ends[0] === null ? "–" : `[${shown(ends[0])}, ${shown(ends[1])}]`);

async function one(asked) {
  const [system] = asked.systems;
  const found = await post("/v1/score", {
    model: asked.model, hypotheses: system.hypotheses, references: asked.references, confidence: true, force: asked.force,
  });
  const summary = table("Systems", ["System", "Score", "95% interval"],
    [[system.name, shown(found.score), interval(found.interval)]]);
  return { found, summary: [summary], scores: [found.segment_scores] };
}

async function several(asked) {
  const { systems, references, model, force } = asked;
  const found = await post("/v1/compare", { model, systems, references, segments: true, force });
  const scores = table("Systems", ["System", "Score", "95% interval"],
    found.systems.map((system) => [system.name, shown(system.score), interval(system.interval)]));
  const pairs = table(`Pairs of systems (${found.test})`,
    ["Pair", "Difference", "95% interval", "p (Holm)", "Preferred", "Better, worse, tied"],
    found.pairs.map((pair) => [`${pair.system_a} – ${pair.system_b}`, signed(pair.difference), interval(pair.interval),
      `${pair.p_at_limit ? "≤ " : ""}${shown(pair.p_holm)}`, pair.preferred, `${pair.wins}, ${pair.losses}, ${pair.ties}`]));
  const note = element("p", { class: "hint" }, "p is corrected for the number of pairs by Holm's method; an interval describes its pair alone, "
    + "so it may exclude 0 although no system is preferred. Where they differ, go by p.");
  return { found, summary: [element("p", {}, found.verdict), scores, pairs, note], scores: found.segment_scores.map((system) => system.scores) };
}

export async function score() {
  complain(null);
  try {
    const asked = { ...texts(), model: byId("model").value, force: byId("force").checked };
    say("Scoring …");
    const { found, summary, scores } = await (asked.systems.length > 1 ? several(asked) : one(asked));
    byId("results").hidden = false;
    byId("welcome").hidden = true;
    byId("explained").hidden = true;
    byId("summary").replaceChildren(...summary, element("p", { class: "signature" }, element("code", {}, found.signature)));
    drawSegments(asked, scores);
    const doubts = (found.warnings || []).map((text) => ` Warning: ${text}.`).join("");
    say(`${asked.references.length} segments scored with ${asked.model}.${doubts}`);
    byId("results").scrollIntoView({ block: "start" });
  } catch (error) {
    complain(error);
  }
}

function drawSegments(asked, scores) {
  const { systems, references } = asked;
  const number = (title, values, text = shown) => ({ title, value: (k) => values[k], text: (k) => text(values[k]) });
  const columns = [{ title: "Segment", value: (k) => k, text: (k) => String(k + 1) }];
  systems.forEach((system, s) => columns.push(number(system.name, scores[s])));
  if (systems.length === 2) columns.push(number("Difference", scores[0].map((value, k) => value - scores[1][k]), signed));
  const words = (title, list) => ({ title, value: (k) => list[k], text: (k) => list[k], wide: true });
  columns.push(words("Reference", references), ...systems.map((system) => words(system.name, system.hypotheses)));
  new Rows(byId("segments"), "Segments", columns, references.length, (k) => explain(asked, k));
}

async function explain(asked, k) {
  complain(null);
  say(`Explaining segment ${k + 1} …`);
  try {
    const { systems, references, model, force } = asked;
    // All systems in one call, so that their bars have one scale; the page of the answer holds what they show.
    const response = await call("POST", "/v1/explain", {
      model, hypotheses: systems.map(({ hypotheses }) => hypotheses[k]), references: systems.map(() => references[k]), force,
    }, "text/html");
    const [, json] = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(await response.text());
    const data = JSON.parse(json);
    byId("explained").hidden = false;
    byId("explained-title").textContent = `Segment ${k + 1} explained`;
    byId("explanations").replaceChildren(...systems.map(({ name }, s) => element("article", { class: "card", "aria-labelledby": `explained-${s}` },
      element("div", { class: "card-head" }, element("h3", { id: `explained-${s}` }, `${name}: ${shown(data.explanations[0][s].score)}`)),
      element("div", { "data-explanation": String(s) }))));
    explanation(data);
    byId("explained").scrollIntoView({ block: "start" });
    say(`Segment ${k + 1} is explained below the table.`);
  } catch (error) {
    complain(error);
  }
}
