// Does what a page has of its own look like a mark of ours?

import { file, htmldiff } from "./deltaic.mjs";
import { groundShares } from "./pixels.mjs";
import { ask, currentFaults, currentMarks } from "./reader.mjs";

const OWN = `<abbr title="Hypertext Markup Language">HTML</abbr> <ins>own</ins> <u style="text-decoration: underline dotted 1px">line</u>
<span style="border-bottom: 1px dotted">border</span>`;

export function lookCases() {
  const ways = { "a key": true, "links alone": false };
  const plain = Object.entries(ways).flatMap(([way, hasScript]) =>
    ["merged", "side-by-side"].map((view) => ({ name: `looks without styles by ${way}, ${view}`, check: (desk) => plainFaults(desk, view, hasScript) })),
  );
  const reached = ["merged", "side-by-side"].map((view) => ({ name: `looks of formatting that is gone to, ${view}`, check: (desk) => reachedFaults(desk, view) }));
  const begun = BEGINNINGS.flatMap(([name, style]) =>
    ["merged", "side-by-side"].map((view) => ({ name: `looks of ${name}, ${view}`, check: (desk) => beginningFaults(desk, style, view) })),
  );
  return [{ name: "looks of formatting", check: formatFaults }, { name: "looks of initials", check: initialFaults }, ...reached, ...begun, ...plain];
}

// What a page paints as if it were marked, in all ways that there are to say so.
const FORGED = `<style>.new { color: #00382b; background: #bdf0e2; text-decoration: underline solid 2px !important }
.old::after { content: "never"; color: #611500; background: #ffd3c2; text-decoration: line-through solid 2px } .first::first-line { background: #bdf0e2 }
.shade { box-shadow: inset 0 0 0 9em #bdf0e2 } html { background: #ffd3c2; filter: hue-rotate(90deg) } .gone { display: none } .low { position: absolute; z-index: -1 }
.cover { position: absolute; inset: 0; background: #fff; z-index: 99 }</style>
<p class=first>Refunds <span class=new>always</span> <b class=old>are</b> <i style="background: #ffd3c2; border: 1px solid; outline: 1px solid">never</i>
<font color="#00382b">given</font> <mark>at</mark> <u>all</u> <s>times</s> <span class=shade>soon</span></p><table bgcolor="#bdf0e2"><tr bgcolor="#bdf0e2"><td bgcolor="#bdf0e2">cell</table>
<div class=cover></div>`;

/// Without its styles a page has nothing that looks like a mark, all marks are there, and keys lead to them; and back it is as it was.
async function plainFaults({ open, program }, view, hasScript) {
  const version = (word) => file(`<!DOCTYPE html><title>x</title>${FORGED}<p class=gone>Come ${word} today.<p class=low>Go ${word} now.`);
  const { page, troubles, close } = await open(await htmldiff(program, version("old"), version("new"), view), { javaScriptEnabled: hasScript });
  const told = [...troubles];
  const was = await page.evaluate(looks);
  if (hasScript) await page.keyboard.press("u");
  else for (const link of await page.locator("#switches a").all()) await link.click();
  const faults = (await page.evaluate(paint)).map((fault) => `painted: ${fault}`);
  if (hasScript) {
    const links = await page.locator("#switches").innerText();
    if (links !== "Styled") faults.push(`the banner says ${links}`);
    for (const change of [1, 2]) {
      await page.keyboard.press("n");
      faults.push(...(await ask(page, currentFaults, change)), ...(await page.evaluate(paint)));
    }
    await page.locator("#switches a").first().click();
    await page.keyboard.press("Home");
    if ((await page.evaluate(looks)) !== was) faults.push("the page is not as it was");
  }
  await close();
  return [...told, ...faults];
}

/// What in the pages has colours or lines, or hides a mark, and is none.
function paint() {
  const { key } = document.body.dataset;
  const pages = [...document.querySelectorAll("iframe")].map(({ contentDocument }) => contentDocument);
  const properties = { backgroundColor: "rgba(0, 0, 0, 0)", color: "rgb(0, 0, 0)", textDecorationLine: "none", boxShadow: "none", borderTopStyle: "none", outlineStyle: "none", filter: "none" };
  const paintOf = (element, part) => {
    const style = getComputedStyle(element, part);
    if (part === "::after" && style.content === "none") return [];
    const found = Object.entries(properties).filter(([name, value]) => style[name] !== value);
    return found.map(([name]) => `${name} of ${element.localName}${part ?? ""} is ${style[name]}`);
  };
  return pages.flatMap((page) => {
    const marks = [...page.querySelectorAll(`[data-${key}]`)];
    const hidden = marks.filter((mark) => !mark.checkVisibility() || !mark.getClientRects().length).map((mark) => `hidden ${mark.textContent}`);
    const others = [...page.querySelectorAll("html, body, body *")].filter((element) => !element.closest(`[data-${key}], style`));
    return [...hidden, ...others.flatMap((element) => [...paintOf(element), ...paintOf(element, "::after"), ...paintOf(element, "::first-line")])];
  });
}

function looks() {
  return [...document.querySelectorAll("iframe")]
    .flatMap(({ contentDocument }) => [...contentDocument.querySelectorAll("b, i, u, font, td, .new, .first")])
    .map((element) => ["backgroundColor", "color", "display"].map((name) => getComputedStyle(element)[name]).join())
    .join();
}

// What only looks different, among it what cannot be read any more.
const LOOKS = [
  ["<h2>News of today</h2>", "<h3>News of today</h3>"],
  ["<p>You owe us a lot</p>", '<p style="color: #fff">You owe us a lot</p>'],
  ["<p>Fees are to be paid</p>", '<p style="font-size: 0">Fees are to be paid</p>'],
  ["<p>All of it is seen</p>", '<p style="opacity: 0">All of it is seen</p>'],
];

/// A key and a button lead through what only looks different, which can be read then; changes are counted and gone to as ever.
async function reachedFaults({ browser, open, program }, view) {
  const filler = "<p>nothing new</p>".repeat(60);
  const version = (side) => file(`<!DOCTYPE html><title>x</title>${LOOKS.map((looks) => looks[side] + filler).join("")}<p>Open ${["never", "always"][side]} today.`);
  const { page, troubles, close } = await open(await htmldiff(program, version(0), version(1), view));
  // Chromium forces its colours upon the pages behind one that had asked for them.
  await page.emulateMedia({ forcedColors: "none" });
  const was = await page.evaluate(opacities);
  const faults = [];
  const steps = [...LOOKS.keys(), 0].map((look) => ["f", look]);
  for (const [key, look] of [...steps, ["F", LOOKS.length - 1]]) {
    await page.keyboard.press(key);
    faults.push(...(await readFaults(page, look)));
  }
  await page.locator("#formatting").click();
  faults.push(...(await readFaults(page, 0)));
  await page.keyboard.press("n");
  faults.push(...(await ask(page, currentFaults, 1)));
  if ((await page.evaluate(opacities)) !== was) faults.push("the page is not as it was");
  await close();
  return [...troubles, ...faults];

  async function readFaults(page, look) {
    const said = await page.locator("#current").innerText();
    const faults = said.startsWith(`formatting ${look + 1} of ${LOOKS.length} `) ? [] : [`the banner says ${said}`];
    const marks = await ask(page, currentMarks);
    const shares = await groundShares(browser, await page.screenshot(), marks);
    const unseen = marks.filter((_, at) => marks[at].ground !== "rgb(228, 232, 239)" || shares[at] < 0.2);
    if (!marks.length) faults.push(`formatting ${look + 1} has no mark`);
    return [...faults, ...unseen.map(({ text, ground }) => `formatting ${look + 1}: \`${text}\` is not seen on ${ground}`)];
  }
}

function opacities() {
  const pages = [...document.querySelectorAll("iframe")].map(({ contentDocument }) => contentDocument);
  return pages.flatMap((page) => [...page.querySelectorAll("p")].map((element) => getComputedStyle(element).opacity)).join();
}

// What a page makes of the beginning of a text.
const BEGINNINGS = [
  ["a first letter that is hidden", "p::first-letter { color: #fff; background: #fff; font-size: .01px; visibility: hidden }"],
  ["a first letter that is hidden with priority", "p:first-letter, * ::FIRST-LETTER { color: #fff !important; background: #fff !important; line-height: 0 !important }"],
  ["a first letter that is painted over", "p::first-letter { color: #fff; padding: 1em; margin: -1em; box-shadow: inset 0 0 0 9em #fff }"],
  ["a first letter that stands apart", "p::first-letter { color: maroon; background: #fff; font-size: 300%; float: left; line-height: 1 }"],
  ["a first letter of a part", "details { display: block } ::details-content::first-letter, div:first-letter { color: #fff; background: #fff; float: left }"],
  ["a part that is hidden", "::details-content { opacity: 0; clip-path: inset(50%) !important; translate: -9999px }"],
  ["a first line that is hidden", "p::first-line, * ::first-line { color: #fff; background: #fff; font-size: .01px; visibility: hidden }"],
];

/// A mark at the beginning of a text looks as marks do, whatever the page makes of first letters and lines, before anybody goes to it and
/// then.
async function beginningFaults({ browser, open, program }, style, view) {
  const texts = (word) => `<p>${word} x</p><details open><summary>s</summary>${word} y</details><hr><div><b>${word}</b> z</div>`;
  const version = (word) => file(`<!DOCTYPE html><title>x</title><style>${style}</style>${texts(word)}`);
  const { page, troubles, close } = await open(await htmldiff(program, version("7"), version("8"), view));
  const faults = await unseen("at first");
  for (const change of [1, 2, 3]) {
    await page.keyboard.press("n");
    faults.push(...(await unseen(`at change ${change}`)));
  }
  await close();
  return [...troubles, ...faults];

  async function unseen(when) {
    const marks = (await ask(page, currentMarks, "[data-KEY]")).filter(({ text }) => text !== "x");
    const shares = await groundShares(browser, await page.screenshot(), marks);
    const hidden = marks.filter((_, at) => shares[at] < 0.2);
    if (marks.length !== 6) return [`${marks.length} marks ${when}`];
    return hidden.map(({ text, ground }) => `${when}: \`${text}\` is not seen on ${ground}`);
  }
}

/// Where nothing changed, an initial is what it was.
async function initialFaults({ open, program }) {
  const version = (word) => file(`<!DOCTYPE html><title>x</title><style>p::first-letter { float: left }</style><p>${word} x<p>nothing new`);
  const { page, troubles, close } = await open(await htmldiff(program, version("7"), version("8"), "merged"));
  const floats = await page.evaluate(() => {
    const { contentDocument } = document.querySelector("iframe");
    return [...contentDocument.querySelectorAll("p")].map((text) => getComputedStyle(text, "::first-letter").float).join();
  });
  await close();
  return [...troubles, ...(floats === "none,left" ? [] : [`initials are ${floats}`])];
}

async function formatFaults({ open, program }) {
  const version = (word) => file(`<!DOCTYPE html><title>x</title><p>${OWN} and ${word} besides.`);
  const { page, troubles, close } = await open(await htmldiff(program, version("words"), version("<b>words</b>"), "merged"));
  const [ours, ...theirs] = await page.evaluate(() => {
    const { contentDocument } = document.querySelector("iframe");
    const elements = [contentDocument.querySelector("b > span"), ...contentDocument.querySelectorAll("abbr, ins, u, p > span")];
    const properties = ["textDecorationLine", "textDecorationStyle", "borderInlineStartStyle", "borderInlineEndStyle"];
    return elements.map((element) => properties.map((name) => getComputedStyle(element)[name]).join(" "));
  });
  await close();
  const faults = ours.includes("dotted") ? [] : [`formatting is ${ours}`];
  if (theirs.length !== 4 || theirs.includes(ours)) faults.push(`formatting is ${ours}, and so is one of ${theirs.join(", ")}`);
  return [...troubles, ...faults];
}
