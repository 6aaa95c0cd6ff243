// Asks a package of npm what changed: `compare.mjs PACKAGE BEFORE AFTER FORMAT` prints the CPU seconds from reading the
// files to the delta, the operations of the delta, its bytes as text and its cost, `-` for what the package does not
// say. `compare.mjs PACKAGE --version` prints the version.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const installed = process.env.DELTAIC_PEERS ?? fileURLToPath(new URL("../../.cache/peers/", import.meta.url));
const require = createRequire(`${installed}/package.json`);

const text = (path) => readFileSync(path, "utf8");
const json = (path) => JSON.parse(text(path));

const packages = {
  "diff-dom"(before, after) {
    const { DiffDOM, stringToObj } = require("diff-dom");
    const body = (path) => stringToObj(`<div>${inner(text(path))}</div>`);
    const script = new DiffDOM({ maxChildCount: false }).diff(body(before), body(after));
    return [script.length, JSON.stringify(script)];
  },
  "node-htmldiff"(before, after) {
    const marked = require("node-htmldiff")(text(before), text(after));
    return [marked.match(/<(ins|del)[ >]/g)?.length ?? 0, marked];
  },
  jsondiffpatch(before, after) {
    const { create } = require("jsondiffpatch");
    const objectHash = (value) => JSON.stringify(value);
    const delta = create({ objectHash }).diff(json(before), json(after));
    return [leaves(delta), JSON.stringify(delta ?? {})];
  },
  "fast-json-patch"(before, after) {
    const patch = require("fast-json-patch").compare(json(before), json(after));
    return [patch.length, JSON.stringify(patch)];
  },
  rfc6902(before, after) {
    const patch = require("rfc6902").createPatch(json(before), json(after));
    return [patch.length, JSON.stringify(patch)];
  },
};

// What diff-dom's own reader takes: markup without a prolog.
function inner(markup) {
  return markup.replace(/^\uFEFF/, "").replace(/<\?[^]*?\?>/g, "").replace(/<!DOCTYPE[^[>]*(\[[^]*?\]\s*)?>/i, "");
}

// The changes of a jsondiffpatch delta: arrays are changes, objects lead to them, and `_t` marks the delta of an array.
function leaves(delta) {
  if (Array.isArray(delta)) return 1;
  if (delta === null || typeof delta !== "object") return 0;
  return Object.values(delta).reduce((sum, member) => sum + leaves(member), 0);
}

process.on("uncaughtException", (error) => {
  console.error(String(error).split("\n")[0]);
  process.exit(2); // not 1, which says of a comparison that something differs
});

const [name, ...files] = process.argv.slice(2);
if (files[0] === "--version") {
  const { version } = JSON.parse(text(`${installed}/node_modules/${name}/package.json`));
  console.log(name, version);
} else {
  require(name);
  const start = process.cpuUsage();
  const [operations, delta] = packages[name](files[0], files[1]);
  const { user, system } = process.cpuUsage(start);
  console.log((user + system) / 1e6, operations, Buffer.byteLength(delta), "-");
}
