// Do pages that attack run anything, ask for anything, or hide or forge a mark?
//
// A file of `attacks` has what a page does against its readers; `<!-- or -->` parts what is tried one at a time, and
// comments say where in `page.html` the pieces stand. There `[this|that]` is a change: its words before and after.

import { readdirSync, readFileSync } from "node:fs";
import { desk as newDesk } from "./browser.mjs";
import { file, htmldiff } from "./deltaic.mjs";
import { ask, bannerFaults, click, currentMarks, markupFaults, survey } from "./reader.mjs";
import { groundShares } from "./pixels.mjs";
import { viewFaults } from "./views.mjs";

const SLOTS = ["in head", "at the start", "between", "in a sentence", "at the end"];
const WINDOW = { viewport: { width: 800, height: 500 } };
const folder = new URL("attacks/", import.meta.url);
const template = readFileSync(new URL("page.html", folder), "utf8");
const STYLES = /<style|style=|hidden|<(div|dialog|details|marquee|font)\b/; // attacks that could make a mark unseen
const CHANGE = /\[([^|\]\n]+)\|([^|\]\n]+)\]/g;
const NEW_WORDS = [...template.matchAll(CHANGE)].map(([, , after]) => after);

/// Each attack in the merged view, on both sides of the comparison; and in turn in another view or on one side.
export function attackCases() {
  const others = [
    ["side-by-side", (desk, attack) => checkUnmoved(desk, attack, "side-by-side")],
    ["merged, added", (desk, attack) => checkAdded(desk, attack, "merged")],
    ["changes, added", (desk, attack) => checkAdded(desk, attack, "changes")],
    ["side-by-side, added", (desk, attack) => checkAdded(desk, attack, "side-by-side")],
  ];
  const links = { name: "attack none, links", check: checkLinks };
  const tried = attacks().flatMap(({ name, attack }, index) => {
    const [view, check] = others[index % others.length];
    return [
      { name: `${name}, merged`, check: (desk) => checkUnmoved(desk, attack, "merged") },
      { name: `${name}, ${view}`, check: (desk) => check(desk, attack) },
      ...(STYLES.test(attack) ? [{ name: `${name}, without JavaScript`, check: (desk) => checkWithoutScript(desk, attack) }] : []),
    ];
  });
  return [links, ...tried];
}

function attacks() {
  const files = readdirSync(folder).filter((name) => name !== "page.html").sort();
  return files.flatMap((name) =>
    readFileSync(new URL(name, folder), "utf8")
      .split("<!-- or -->\n")
      .map((attack, index) => ({ name: `attack ${name.replace(".html", "")} ${index + 1}`, attack })),
  );
}

/// An attack that is in both versions: the marks are those of the page without it, and are seen.
async function checkUnmoved(desk, attack, view) {
  const [before, after] = [version("before", attack), version("after", attack)];
  const { page, troubles, close } = await desk.open(await htmldiff(desk.program, before, after, view), WINDOW);
  const expected = await peaceful(desk, view);
  const faults = [...markFaults((await ask(page, survey)).marks, expected), ...(await ask(page, markupFaults))];
  faults.push(...(await viewFaults(page)), ...(await canaryFaults(page)));
  if (STYLES.test(attack)) faults.push(...(await sightFaults(desk, page)));
  if (!faults.length && !troubles.length) faults.push(...(await clickFaults(page, expected)));
  await close();
  return [...troubles, ...faults];
}

/// An attack that is new: beside its own marks there are those of the page without it.
async function checkAdded(desk, attack, view) {
  const [before, after] = [version("before", ""), version("after", attack)];
  const { page, troubles, close } = await desk.open(await htmldiff(desk.program, before, after, view), WINDOW);
  const found = (await ask(page, survey)).marks.map(({ text }) => text).join("\n");
  const missed = NEW_WORDS.filter((word) => !found.includes(word));
  const faults = [...missed.map((word) => `no mark has \`${word}\``), ...(await ask(page, markupFaults))];
  faults.push(...(await ask(page, bannerFaults)));
  if (!faults.length) await page.keyboard.press("n");
  faults.push(...(await canaryFaults(page)));
  await close();
  return [...troubles, ...faults];
}

/// Without JavaScript a link shows the mark that it leads to and those of its change behind it, but for the changes that the attack is known
/// to hide; and in the page without its styles all marks are seen.
async function checkWithoutScript(desk, attack) {
  const place = await htmldiff(desk.program, version("before", attack), version("after", attack), "merged");
  const { page, close } = await desk.open(place, { ...WINDOW, javaScriptEnabled: false });
  const { key, changes } = await ask(page, survey);
  const hidden = [];
  for (let change = 1; change <= changes; change++) {
    await page.locator(`#map a[href$="#${key}-${change}"]`).click();
    const reached = `[data-KEY]:target, [data-KEY]:target ~ [data-KEY="${change}"]`;
    if ((await unseenMarks(desk, page, reached)).length) hidden.push(change);
  }
  const known = attack.match(/<!-- hidden from links: ([\d, ]+) -->/)?.[1] ?? "";
  const faults = hidden.join(", ") === known ? [] : [`hidden from links are ${hidden.join(", ")}`];
  await page.locator("#switches a").click();
  for (let change = 1; change <= changes; change++) {
    await page.evaluate(bringMark, change);
    const unseen = await unseenMarks(desk, page, `[data-KEY="${change}"]`);
    faults.push(...unseen.map(({ text }) => `change ${change}: \`${text}\` is not seen without styles`));
  }
  await close();
  return faults;
}

function bringMark(change) {
  const { key } = document.body.dataset;
  const { contentDocument } = document.querySelector("iframe");
  Document.prototype.querySelector.call(contentDocument, `[data-${key}="${change}"]`).scrollIntoView({ block: "center", behavior: "instant" });
}

/// A link of a page leads to a window of its own, which does not know where it comes from.
async function checkLinks({ open, program }) {
  const { page, close } = await open(await htmldiff(program, version("before", ""), version("after", ""), "merged"), WINDOW);
  // It names its icon, or the browser asks its host for one, past every route.
  const body = "<link rel=icon href='data:,'><p>linked";
  await page.context().route("http://link.example/**", (route) => route.fulfill({ body, contentType: "text/html" }));
  const link = page.frameLocator("iframe").locator("a[href^='http://link.example']");
  await link.scrollIntoViewIfNeeded();
  const { x, y, height } = await link.boundingBox();
  const [popup] = await Promise.all([page.waitForEvent("popup"), page.mouse.click(x + 2, y + height / 2)]);
  await popup.waitForLoadState();
  const found = await popup.evaluate(() => [location.href, document.referrer, Boolean(window.opener)].join(" "));
  await close();
  return found === "http://link.example/desk  false" ? [] : [`a link opened ${found}`];
}

function version(side, attack) {
  const pieces = Object.fromEntries(SLOTS.map((slot) => [slot, ""]));
  const [, ...parts] = attack.split(new RegExp(`^<!-- (${SLOTS.join("|")}) -->\n`, "m"));
  for (let index = 0; index < parts.length; index += 2) pieces[parts[index]] += parts[index + 1];
  const page = template.replace(/<!-- ([a-z ]+) -->/g, (_, slot) => pieces[slot]);
  return file(page.replace(CHANGE, side === "before" ? "$1" : "$2"));
}

const quiet = {}; // the marks of the page without an attack, by view

function peaceful(desk, view) {
  return (quiet[view] ??= (async () => {
    const place = await htmldiff(desk.program, version("before", ""), version("after", ""), view);
    const { page, close } = await newDesk(desk.browser)(place, WINDOW);
    const { marks } = await ask(page, survey);
    await close();
    return marks;
  })());
}

function markFaults(found, expected) {
  const [ours, theirs] = [found, expected].map((marks) => marks.map(({ number, kind, text }) => `${number} ${kind} ${text}`).join("; "));
  return ours === theirs ? [] : [`marks are ${ours} and without the attack ${theirs}`];
}

async function canaryFaults(page) {
  const canaries = await page.evaluate(() =>
    [window, ...[...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow)].some((window) => "canary" in window),
  );
  const title = await page.title();
  return [canaries && "a script ran", title === "canary" && "the title was changed"].filter(Boolean);
}

/// The marks of every change, once it is reached, have their ground where they are.
async function sightFaults(desk, page) {
  const { changes } = await ask(page, survey);
  const faults = [];
  // The walk before ended at the first change.
  for (let change = 1; change <= changes; change++) {
    if (change > 1) await page.keyboard.press("n");
    // What is over a page may come with what points at it.
    await page.mouse.move(400, 300 + change);
    const unseen = await unseenMarks(desk, page);
    faults.push(...unseen.map(({ text, ground }) => `change ${change}: \`${text}\` is not seen on ${ground}`));
  }
  return faults;
}

async function unseenMarks(desk, page, ...which) {
  const marks = await ask(page, currentMarks, ...which);
  const shares = await groundShares(desk.browser, await page.screenshot(), marks);
  return marks.filter((_, index) => shares[index] < 0.2);
}

/// Nothing that can be clicked leads away or does anything.
async function clickFaults(page, expected) {
  await ask(page, click);
  await page.waitForTimeout(100);
  const { marks } = await ask(page, survey);
  return [...markFaults(marks, expected), ...(await canaryFaults(page))].map((fault) => `after clicks: ${fault}`);
}
