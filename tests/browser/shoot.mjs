// Makes pictures of views, of 1200 by 800 pixels.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { desk, launch } from "./browser.mjs";
import { htmldiff } from "./deltaic.mjs";

const { values, positionals } = parseArgs({
  options: {
    deltaic: { type: "string", default: "target/debug/deltaic" },
    press: { type: "string", multiple: true, default: ["n"] },
  },
  allowPositionals: true,
});

const [folder] = positionals;
const lines = readFileSync(0, "utf8").split("\n").filter((line) => line.trim() && !line.startsWith("#"));
mkdirSync(folder, { recursive: true });
const { browser, close } = await launch();
const open = desk(browser);
for (const line of lines) {
  const [name, view, before, after, ...options] = line.trim().split(/\s+/);
  const opened = await open(await htmldiff(values.deltaic, before, after, view, ...options));
  for (const key of values.press) await opened.page.keyboard.press(key);
  await opened.page.screenshot({ path: join(folder, `${name}.png`) });
  await opened.close();
  console.log(join(folder, `${name}.png`));
}
await close();
