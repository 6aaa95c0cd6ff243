// Do both sides keep together while one of them is scrolled, and do keys lead to where changes are?

import { file, htmldiff } from "./deltaic.mjs";
import { ask, currentFaults } from "./reader.mjs";

const OFF = 40; // pixels that a paragraph may be higher on one side than on the other

/// A page of which much is new in the middle, and a word on either side of that.
export function scrollingCases() {
  const sides = [0, 1].map((side) => ({ name: `scrolling of the ${["left", "right"][side]}`, check: (desk) => faults(desk, side) }));
  return [...sides, { name: "scrolling to changes in links", check: linkFaults }];
}

/// The arrows of a mark in a link take no room that they give back once they are there, and the mark stays where it was scrolled to.
async function linkFaults({ open, program }) {
  const filler = "<p>nothing new</p>".repeat(80);
  const row = (number) => `<tr><td>A row with rather many words in it, so that the other one is narrow<td style="width: 8em"><a href="/${number}">Paper ${number}, Section *</a>, page 7`;
  const version = (word) => file(`<!DOCTYPE html><title>x</title>${filler}<table>${numberedRows(row).replaceAll("*", word)}</table>${filler}`);
  const place = await htmldiff(program, version("3.5"), version("Three"), "side-by-side");
  const { page, troubles, close } = await open(place, { viewport: { width: 1000, height: 500 } });
  const found = [];
  for (let change = 1; change <= ROWS; change++) {
    await page.keyboard.press("n");
    await page.waitForTimeout(100);
    found.push(...(await ask(page, currentFaults, change)));
    const off = await page.evaluate(offTheMiddle);
    if (off.some((pixels) => pixels > OFF)) found.push(`change ${change} is ${off.join(" and ")} pixels off the middle`);
  }
  await close();
  return [...troubles, ...found];
}

const ROWS = 12;
const numberedRows = (row) => Array.from({ length: ROWS }, (_, index) => row(index + 1)).join("\n");

function offTheMiddle() {
  const { key } = document.body.dataset;
  return [...document.querySelectorAll("iframe")].map((frame) => {
    const { top, bottom } = frame.contentDocument.querySelector(`[data-${key}-current]`).getBoundingClientRect();
    return Math.round(Math.abs((top + bottom - frame.clientHeight) / 2));
  });
}

async function faults({ open, program }, side) {
  const place = await htmldiff(program, version("old", []), version("new", numbered(60, "fresh")), "side-by-side");
  const { page, troubles, close } = await open(place, { viewport: { width: 1000, height: 600 } });
  const far = [];
  for (const word of ["common-3", "common-14", "common-25", "common-36", "common-45"]) {
    const tops = await page.evaluate(bringToTheMiddle, [side, word]);
    await page.waitForTimeout(200);
    const [here, there] = await page.evaluate(heights, [side, word]);
    if (Math.abs(here - there) > OFF) far.push(`${word} is at ${here} and at ${there} (${tops})`);
  }
  await close();
  return [...troubles, ...far];
}

function version(word, fresh) {
  const common = numbered(50, "common");
  common.splice(10, 0, `<p>A word that is ${word} before all of it.</p>`, ...fresh);
  return file(`<!DOCTYPE html><title>x</title>${common.join("\n")}<p>A word that is ${word} behind all of it.</p>`);
}

function numbered(count, word) {
  return Array.from({ length: count }, (_, index) => `<p id=${word}-${index}>The ${word} paragraph of the number ${index}, and no other.</p>`);
}

function bringToTheMiddle([side, id]) {
  const { contentDocument } = document.querySelectorAll("iframe")[side];
  contentDocument.getElementById(id).scrollIntoView({ block: "center", behavior: "instant" });
  return [...document.querySelectorAll("iframe")].map((frame) => frame.contentWindow.scrollY);
}

function heights([side, id]) {
  const frames = [...document.querySelectorAll("iframe")];
  const top = (frame) => Math.round(frame.contentDocument.getElementById(id).getBoundingClientRect().top);
  return [frames[side], frames[1 - side]].map(top);
}
