// Are words read as they are written? A page whose sheets may be loaded brings fonts that hide them.

import { pathToFileURL } from "node:url";
import { file, htmldiff } from "./deltaic.mjs";

const BASE = "http://fonts.example/";
// One that would have to be loaded, and one of the system whose letters have no size.
const FONTS = `@font-face { font-family: Blank; src: url(/blank.woff2) }
@font-face { font-family: Tiny; src: local("DejaVu Sans"), local("Arial"), local("Helvetica"), local("Liberation Sans"); size-adjust: 0% }
@font-face { font-family: "sans-serif"; src: local("DejaVu Sans"), local("Arial"), local("Helvetica"); size-adjust: 0% }
* { font-family: Tiny, Blank !important }`;
const SHEETS = { written: `<style>${FONTS}</style>`, linked: "<link rel=stylesheet href=fonts.css>" };

export function fontCases() {
  return Object.entries(SHEETS).map(([name, sheet]) => ({ name: `fonts ${name}`, check: (desk) => fontFaults(desk, sheet) }));
}

async function fontFaults({ browser, program }, sheet) {
  const version = (word) => file(`<!DOCTYPE html><title>x</title>${sheet}<p>We are open ${word} for all.`);
  const view = await htmldiff(program, version("never"), version("always"), "merged", "--base", BASE);
  const context = await browser.newContext();
  const asked = [];
  await context.route(`${BASE}**`, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ body: FONTS, contentType: "text/css" });
  });
  const page = await context.newPage();
  await page.goto(pathToFileURL(view).href, { waitUntil: "load" });
  await page.keyboard.press("n");
  const widths = await page.evaluate(() => {
    const { contentDocument } = document.querySelector("iframe");
    const texts = [...contentDocument.querySelectorAll("ins, del")].map((mark) => mark.lastChild);
    return texts.map((text) => {
      const range = new Range();
      range.selectNodeContents(text);
      return Math.round(range.getBoundingClientRect().width);
    });
  });
  await context.close();
  const fonts = asked.filter((address) => !address.endsWith(".css"));
  const faults = fonts.map((address) => `a font was asked for: ${address}`);
  if (widths.length !== 2 || widths.some((width) => width < 20)) faults.push(`marked words are ${widths} pixels wide`);
  return faults;
}
