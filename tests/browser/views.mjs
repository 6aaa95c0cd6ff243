// Does every view open, say what it shows, and lead from change to change?

import { file, htmldiff, VIEWS } from "./deltaic.mjs";
import { ask, bannerFaults, contrasts, currentFaults, survey, walkFaults } from "./reader.mjs";

const PRESSED = 3; // changes that are reached by keys of the keyboard; the others by events, which are faster
const BACK = 20; // changes that are gone back over
const ARROWS = 30; // changes that are gone to by their arrows, and back

/// The cases of pairs of the corpus: every view of each, and of one pair in every family what is beyond the ordinary.
export function viewCases(pairs) {
  const families = new Set();
  return pairs.flatMap((pair) => {
    const isFirst = !families.has(pair.family) && families.add(pair.family);
    const cases = VIEWS.map((view) => [view, (desk) => checkView(desk, pair, view)]);
    if (isFirst) {
      cases.push(["merged without JavaScript", (desk) => checkWithoutScript(desk, pair, "merged")]);
      cases.push(["side-by-side without JavaScript", (desk) => checkWithoutScript(desk, pair, "side-by-side")]);
      cases.push(["printed", (desk) => checkPrinted(desk, pair)]);
      cases.push(["colours", (desk) => checkColours(desk, pair)]);
    }
    return cases.map(([name, check]) => ({ name: `${pair.name} ${name}`, check }));
  });
}

// Changes at all kinds of places, far enough from each other that none is in view where another is.
const PLACES = [
  "<p>Open * today.</p>",
  '<p><a href="https://example.org/">All * of it</a></p>',
  '<a href="https://example.org/"><h2>News</h2><div><p>Now * then</p></div></a>',
  "<ul><li>one</li><li>two * two</li></ul>",
  "<table><tr><th>Name</th><td>sum * sum</td></tr></table>",
  "<table><tr><td><a href=/x>*</a></td></tr></table>",
  "<details><summary>More * here</summary><p>words</p></details>",
  "<details><summary>More</summary><p>all * here</p></details>",
  "<form><label>Your * name <input></label></form>",
  "<pre>a * b</pre>",
  "<blockquote><em>said * so</em></blockquote>",
  '<a href="https://example.org/*">leads elsewhere</a>',
  '<p><a href="/"><img alt="*" src="*.png"></a></p>',
  "<p>the last * one</p>",
];

/// Without JavaScript links alone lead from change to change, wherever they are.
export function linkCases() {
  const filler = "<p>nothing new</p>".repeat(60);
  const version = (word) => file(`<!DOCTYPE html><title>x</title>${PLACES.map((place) => filler + place.replaceAll("*", word)).join("")}${filler}`);
  const pair = (before, after) => ({ before, after });
  return [
    { name: "links without JavaScript", check: (desk) => checkLinks(desk, pair(version("old"), version("new"))) },
    ...["merged", "side-by-side", "changes"].map((view) => ({
      name: `links to the first of too many ${view}`,
      check: (desk) => checkTooMany(desk, pair(version("old"), version("new")), view),
    })),
    { name: "links without JavaScript, reversed", check: (desk) => checkLinks(desk, pair(version("old"), version("new")), "--reverse") },
  ];
}

// Keys lead to all changes of a page though only some have links; a list has no others.
async function checkTooMany({ open, program }, pair, view) {
  const { page, troubles, close } = await open(await htmldiff(program, pair.before, pair.after, view, "--max-changes", "3"));
  const { changes } = await ask(page, survey);
  const links = await page.locator("#map a").count();
  const expected = view === "changes" ? 3 : PLACES.length;
  const faults = changes === expected && links === 3 ? [] : [`${changes} changes and ${links} links`];
  faults.push(...(await viewFaults(page)));
  // From the last but some, where no link leads on.
  if (view !== "changes") {
    await page.locator("#last").click();
    await page.locator("#previous").click();
    faults.push(...(await ask(page, currentFaults, PLACES.length - 1)));
  }
  await close();
  return [...troubles, ...faults];
}

async function checkLinks({ open, program }, pair, ...options) {
  const place = await htmldiff(program, pair.before, pair.after, "merged", ...options);
  const { page, troubles, close } = await open(place, { javaScriptEnabled: false });
  const { key, changes } = await ask(page, survey);
  const faults = changes === PLACES.length ? [] : [`${changes} changes`];
  for (const button of ["previous", "next"]) {
    if (await page.locator(`#${button}`).isVisible()) faults.push(`${button} is there and cannot know where to lead to`);
  }
  const told = [...troubles];
  faults.push(...(await arrowFaults(page, key, changes)));
  await close();
  return [...told, ...faults];
}

/// Everything that holds of a view that is open.
export async function viewFaults(page) {
  const { changes, marks } = await ask(page, survey);
  const faults = [...numberFaults(changes, marks), ...(await ask(page, bannerFaults))];
  if (faults.length || !changes) return faults;
  const pressed = Math.min(PRESSED, changes);
  for (let change = 1; change <= pressed; change++) {
    await page.keyboard.press("n");
    faults.push(...(await ask(page, currentFaults, change)));
  }
  if (changes > pressed) faults.push(...(await ask(page, walkFaults, pressed + 1, changes, "n")));
  if (changes > 1 && !faults.length) faults.push(...(await ask(page, walkFaults, changes - 1, Math.max(1, changes - BACK), "p")));
  return [...faults, ...(await ask(page, bannerFaults))];
}

async function checkView({ open, program }, pair, view) {
  const { page, troubles, close } = await open(await htmldiff(program, pair.before, pair.after, view));
  const faults = await viewFaults(page);
  await close();
  return [...troubles, ...faults];
}

function numberFaults(changes, marks) {
  const numbers = [...new Set(marks.map((mark) => mark.number))].sort((one, other) => one - other);
  const isRow = numbers.every((number, index) => number === index + 1);
  return isRow && numbers.length === changes ? [] : [`${changes} changes, and marks of ${numbers.slice(0, 20)}`];
}

/// The links of the map lead to the marks by themselves, and so do the arrows of the marks.
async function checkWithoutScript({ open, program }, pair, view) {
  const place = await htmldiff(program, pair.before, pair.after, view);
  const { page, troubles, close } = await open(place, { javaScriptEnabled: false });
  const { key, changes } = await ask(page, survey);
  const faults = [];
  for (const change of new Set([changes, Math.ceil(changes / 2), 1].filter((change) => change >= 1 && change <= changes))) {
    const link = page.locator(`#map a[href$="#${key}-${change}"]`).first();
    await link.click();
    const isThere = await isInView(page, await link.getAttribute("target"), `${key}-${change}`);
    if (!isThere) faults.push(`the link to change ${change} leads elsewhere`);
  }
  const told = [...troubles];
  // What drives the browser listens to clicks in the frame, which says that this is a script.
  if (view === "merged") faults.push(...(await arrowFaults(page, key, changes)));
  await close();
  return [...told, ...faults];
}

// From the first change to the last and back, by links alone.
async function arrowFaults(page, key, changes) {
  const last = Math.min(changes, ARROWS);
  if (last < 1) return [];
  await page.locator("#first").click();
  const faults = (await isInView(page, "page", `${key}-1`)) ? [] : ["the banner does not lead to the first change"];
  const onwards = Array.from({ length: last - 1 }, (_, index) => [index + 1, "next", index + 2]);
  const back = onwards.map(([from, _, to]) => [to, "previous", from]).reverse();
  for (const [from, which, to] of [...onwards, ...back]) {
    const arrow = page.frameLocator("iframe").locator(`[id="${key}-${from}"] a[data-${key}-to="${which}"]`);
    const box = await arrow.boundingBox();
    if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    if (!box || !(await isInView(page, "page", `${key}-${to}`))) return [...faults, `no arrow leads from change ${from} to ${to}`];
  }
  return faults;
}

async function isInView(page, target, id) {
  const mark = await page.frameLocator(`iframe[name="${target}"]`).locator(`[id="${id}"]`).boundingBox();
  const frame = await page.locator(`iframe[name="${target}"]`).boundingBox();
  return mark && mark.y > frame.y - 1 && mark.y < frame.y + frame.height;
}

/// On paper there is about as much as there is of the page by itself.
async function checkPrinted({ open, program }, pair) {
  const view = await open(await htmldiff(program, pair.before, pair.after, "merged"));
  const plain = await open(pair.after, { javaScriptEnabled: false, offline: true });
  // Without its style sheets, which are not there, each of its icons would be a sheet.
  await plain.page.evaluate(() => document.head.insertAdjacentHTML("beforeend", "<style>svg { max-width: 4em }</style>"));
  const [ours, theirs] = [await sheets(view.page), await sheets(plain.page)];
  await view.close();
  await plain.close();
  return ours >= 0.6 * theirs ? view.troubles : [...view.troubles, `${ours} sheets of a page that has ${theirs}`];
}

async function sheets(page) {
  const document = await page.pdf({ format: "A4" });
  return document.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
}

const SCHEMES = [{ colorScheme: "light" }, { colorScheme: "dark" }, { forcedColors: "active" }];

/// Text has the contrast that WCAG asks for, and what was added and removed is told apart by more than colour.
async function checkColours({ open, program }, pair) {
  const { page, troubles, close } = await open(await htmldiff(program, pair.before, pair.after, "merged"));
  await page.keyboard.press("n");
  const faults = [];
  for (const scheme of SCHEMES) {
    await page.emulateMedia({ colorScheme: null, forcedColors: null, ...scheme });
    const found = Object.entries(await ask(page, contrasts)).flatMap(([kind, look]) => colourFaults(kind, look));
    faults.push(...found.map((fault) => `${Object.values(scheme)}: ${fault}`));
  }
  await close();
  return [...troubles, ...faults];
}

function colourFaults(kind, { contrast, lines }) {
  return [
    contrast < 4.5 && `the contrast of ${kind} is ${contrast.toFixed(2)}`,
    kind !== "banner" && !lines.length && `${kind} is told by colour alone`,
    kind === "removed" && !lines.includes("line-through") && "removed text is not struck out",
    kind === "added" && lines.includes("line-through") && "added text is struck out",
  ].filter(Boolean);
}
