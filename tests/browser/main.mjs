// Runs all cases, a few at a time, and tells which of them have faults.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { attackCases } from "./attacks.mjs";
import { desk, launch } from "./browser.mjs";
import { fontCases } from "./fonts.mjs";
import { layoutCases } from "./layout.mjs";
import { lookCases } from "./looks.mjs";
import { pairs } from "./pairs.mjs";
import { scrollingCases } from "./scrolling.mjs";
import { sizeCases } from "./sizes.mjs";
import { linkCases, viewCases } from "./views.mjs";

const { values } = parseArgs({
  options: {
    deltaic: { type: "string", default: "target/debug/deltaic" },
    corpus: { type: "string", default: "../shared/corpus" },
    only: { type: "string", default: "" },
  },
});

if (!existsSync(values.corpus)) console.log(`skipped: the corpus is not at ${values.corpus}`);
const seen = [...scrollingCases(), ...sizeCases(), ...layoutCases(), ...fontCases(), ...lookCases()];
const all = [...viewCases(pairs(values.corpus, 3)), ...linkCases(), ...seen, ...attackCases()];
const cases = all.filter(({ name }) => name.includes(values.only));
const PATIENCE_MS = 60_000; // with one case
const { browser, asked, close } = await launch();
const waiting = [...cases];
let failed = 0;
await Promise.all(Array.from({ length: availableParallelism() }, work));
await close();
if (asked.length) tell("requests that left the browser", asked);
console.log(`${cases.length - failed} of ${cases.length} cases passed`);
process.exitCode = failed || asked.length ? 1 : 0;

async function work() {
  let table = deskOf();
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const faults = await inTime(next.check(table)).catch((error) => [error.message]);
    if (faults.length) {
      failed++;
      tell(next.name, faults);
      table = deskOf(); // what is left of a failure is no matter of the next case
    }
  }
}

function deskOf() {
  return { browser, open: desk(browser), program: values.deltaic };
}

function inTime(check) {
  const late = new Promise((_, reject) => setTimeout(reject, PATIENCE_MS, new Error("no end")).unref());
  return Promise.race([check, late]);
}

function tell(name, faults) {
  console.log(`${name}\n${faults.slice(0, 8).map((fault) => `    ${fault}\n`).join("")}`);
}
