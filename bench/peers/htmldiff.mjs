// Lets a package of npm mark what changed in a page: `htmldiff.mjs PACKAGE BEFORE AFTER RUNS SECONDS MARKED` puts the
// marked page into a file and prints the CPU nanoseconds from two texts to the marked one, the best of so many runs, or
// of as many as fit into so many seconds. `htmldiff.mjs PACKAGE --version` prints the version.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const installed = process.env.DELTAIC_PEERS ?? fileURLToPath(new URL("../../.cache/peers/", import.meta.url));
const require = createRequire(`${installed}/package.json`);

const text = (path) => readFileSync(path, "utf8");

// How each is asked, and the packages that are there before the clock starts.
const packages = {
  // It takes fragments. Tags that it takes whole are told by how they begin, so that by default a `header` is a `head`
  // without an end and an `article` a link, and nothing behind them is compared.
  "node-htmldiff": {
    needs: ["node-htmldiff"],
    mark(before, after) {
      const takenWhole = "iframe,object,math,svg,script,video,style";
      return require("node-htmldiff")(body(before), body(after), undefined, undefined, takenWhole);
    },
  },
  // It marks a DOM, which nobody but jsdom makes of a text here.
  "visual-dom-diff": {
    needs: ["visual-dom-diff", "jsdom"],
    mark(before, after) {
      const { JSDOM } = require("jsdom");
      const [old, now] = [before, after].map((page) => new JSDOM(page).window.document);
      const marked = now.createElement("div");
      marked.append(require("visual-dom-diff").visualDomDiff(old.body, now.body));
      return marked.innerHTML;
    },
  },
};

const body = (page) => page.replace(/^[^]*?<body[^>]*>/i, "").replace(/<\/body[^]*$/i, "");

process.on("uncaughtException", (error) => {
  console.error(String(error).split("\n")[0]);
  process.exit(2); // not 1, which says of a comparison that something differs
});

const [name, ...rest] = process.argv.slice(2);
const { needs, mark } = packages[name];
needs.forEach(require);
if (rest[0] === "--version") {
  const version = (need) => JSON.parse(text(`${installed}/node_modules/${need}/package.json`)).version;
  console.log(needs.map((need) => `${need} ${version(need)}`).join(", "));
} else {
  const [before, after] = rest.slice(0, 2).map(text);
  const [runs, seconds, output] = rest.slice(2);
  const times = [];
  const spent = () => times.reduce((sum, time) => sum + time, 0) + Math.max(...times);
  let marked;
  while (times.length < Number(runs) && (times.length === 0 || spent() < Number(seconds) * 1e6)) {
    const start = process.cpuUsage();
    marked = mark(before, after);
    const { user, system } = process.cpuUsage(start);
    times.push(user + system);
  }
  writeFileSync(output, marked);
  console.log(Math.min(...times) * 1e3);
}
