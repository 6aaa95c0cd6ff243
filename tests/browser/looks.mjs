// Does what a page has of its own look like a mark of ours?

import { file, htmldiff } from "./deltaic.mjs";
import { ask, currentFaults } from "./reader.mjs";

const OWN = `<abbr title="Hypertext Markup Language">HTML</abbr> <ins>own</ins> <u style="text-decoration: underline dotted 1px">line</u>
<span style="border-bottom: 1px dotted">border</span>`;

export function lookCases() {
  const ways = { "a key": true, "links alone": false };
  const plain = Object.entries(ways).flatMap(([way, hasScript]) =>
    ["merged", "side-by-side"].map((view) => ({ name: `looks without styles by ${way}, ${view}`, check: (desk) => plainFaults(desk, view, hasScript) })),
  );
  return [{ name: "looks of formatting", check: formatFaults }, ...plain];
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
