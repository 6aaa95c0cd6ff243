// Is there room for the marks? Drawings have a size though the style sheet that gives it is not loaded.

import { file, htmldiff } from "./deltaic.mjs";

const WIDEST = 120; // pixels of a drawing that nobody gave a size

// How wide a drawing is that says so itself, by what is around it and what it has.
const DRAWINGS = [
  ["", "", null],
  ["", 'width="300"', 300],
  ["", 'height="30"', 60],
  ["", 'style="width: 310px"', 310],
  ["<style>.wide { width: 320px }</style>", 'class="wide"', 320],
  ["<style>@layer page { svg { width: 330px } }</style>", "", 330],
];

export function sizeCases() {
  const views = ["merged", "side-by-side"];
  return views.map((view) => ({ name: `sizes of drawings ${view}`, check: (desk) => drawingFaults(desk, view) }));
}

async function drawingFaults({ open, program }, view) {
  const faults = [];
  for (const [around, said, expected] of DRAWINGS) {
    // The inner one is as wide as the outer one lets it be.
    const drawing = `<svg viewBox="0 0 20 10" ${said}><path d="M0 0h20v10H0z"/><svg viewBox="0 0 20 10"><path d="M0 0h20v10H0z"/></svg></svg>`;
    const version = (word) => file(`<!DOCTYPE html><title>x</title>${around}<p><a title=${word}>${drawing}</a> ${word}`);
    const { page, troubles, close } = await open(await htmldiff(program, version("old"), version("new"), view));
    const widths = await page.evaluate(() =>
      [...document.querySelectorAll("iframe")].flatMap(({ contentDocument }) =>
        [...contentDocument.querySelectorAll("path")].map((path) => Math.round(path.getBoundingClientRect().width)),
      ),
    );
    const isRight = (width) => (expected === null ? width > 0 && width <= WIDEST : width === expected);
    if (!widths.length || !widths.every(isRight)) faults.push(`${around}<svg ${said}> has shapes of ${widths} pixels`);
    faults.push(...troubles);
    await close();
  }
  return faults;
}
