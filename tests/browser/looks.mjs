// Does what a page has of its own look like a mark of ours?

import { file, htmldiff } from "./deltaic.mjs";

const OWN = `<abbr title="Hypertext Markup Language">HTML</abbr> <ins>own</ins> <u style="text-decoration: underline dotted 1px">line</u>
<span style="border-bottom: 1px dotted">border</span>`;

export function lookCases() {
  return [{ name: "looks of formatting", check: formatFaults }];
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
