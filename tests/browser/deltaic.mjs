// What does `deltaic htmldiff` make of two pages?

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const VIEWS = ["merged", "side-by-side", "changes"];

const folder = mkdtempSync(join(tmpdir(), "deltaic-browser-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let written = 0;

/// A file with this content.
export function file(content) {
  const place = join(folder, `${++written}.html`);
  writeFileSync(place, content);
  return place;
}

/// The file of a view of two files.
export async function htmldiff(program, before, after, view, ...options) {
  const place = file("");
  await new Promise((resolve, reject) => {
    const words = ["htmldiff", before, after, "--view", view, "-o", place, ...options];
    execFile(program, words, (error, _, messages) => {
      if (error && error.code !== 1) reject(new Error(`deltaic ${words.join(" ")}: ${messages || error.message}`));
      else resolve();
    });
  });
  return place;
}
