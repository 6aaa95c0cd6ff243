// Is there room for the marks? Drawings have a size though the style sheet that gives it is not loaded, and marks do not touch.

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
  const drawings = views.map((view) => ({ name: `sizes of drawings ${view}`, check: (desk) => drawingFaults(desk, view) }));
  return [...drawings, { name: "sizes of gaps", check: gapFaults }];
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

// The last words of a page have no space behind them, so that what was and what is would touch.
async function gapFaults({ open, program }) {
  const version = (sum) => file(`<!DOCTYPE html><title>x</title><table><tr><td>${sum}</table>`);
  const { page, troubles, close } = await open(await htmldiff(program, version(9), version(6), "merged"));
  const [gap, copied] = await page.evaluate(() => {
    const { contentDocument } = document.querySelector("iframe");
    const [first, second] = [...contentDocument.querySelectorAll("td > del, td > ins")].map((mark) => mark.getBoundingClientRect());
    const selection = contentDocument.getSelection();
    selection.selectAllChildren(contentDocument.body);
    return [second.left - first.right, selection.toString().trim()];
  });
  await close();
  const faults = gap >= 1 ? [] : [`a gap of ${gap} pixels`];
  if (copied !== "96") faults.push(`copied: ${JSON.stringify(copied)}`);
  return [...troubles, ...faults];
}
