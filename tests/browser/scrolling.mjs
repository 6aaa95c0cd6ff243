// Do both sides keep together while one of them is scrolled?

import { file, htmldiff } from "./deltaic.mjs";

const OFF = 40; // pixels that a paragraph may be higher on one side than on the other

/// A page of which much is new in the middle, and a word on either side of that.
export function scrollingCases() {
  return [0, 1].map((side) => ({ name: `scrolling of the ${["left", "right"][side]}`, check: (desk) => faults(desk, side) }));
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
