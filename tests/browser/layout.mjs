// Is the page as it was? Marks of what has no size are seen, and what is forced on a page to show one of them is taken back.

import { file, htmldiff } from "./deltaic.mjs";

const HEAD = `<!DOCTYPE html><title>x</title><style>body { display: flex; gap: 20px; margin: 20px } nav { width: 150px }
main { flex: 1; max-width: 500px; border: 1px solid }</style><nav>Home</nav>`;
const code = (lines) => `${HEAD}<main><h1>Example</h1><pre>server {\n    listen 80;\n${lines}}\n</pre></main>`;
const shop = (image) => `${HEAD}<main><h1>Example</h1><p>We sell ${image} cups of all kinds.</main>`;

// What changes that has no size of its own.
const SIZELESS = {
  "an empty line": [code("    root /www;\n"), code("\n    root /www;\n")],
  "three empty lines": [code("    root /www;\n"), code("\n\n\n    root /www;\n")],
  "an image that is not loaded": [shop(""), shop('<img src="cup.png" alt="">')],
  "an image that is hidden": [shop(""), shop('<style>img { display: none !important }</style><img src="cup.png" alt="">')],
  "an image among others": [shop(""), shop('<picture><source srcset="cup.webp"><img src="cup.png" alt=""></picture>')],
};

// What a style sheet hides a paragraph with; the first ones leave a layout as it is.
const HIDDEN = [
  ["height: 0; overflow: hidden", true],
  ["display: none", true],
  ["position: absolute; left: -9999px", false],
  ["white-space: nowrap; width: 0; overflow: clip", true],
];

// Boxes that lay out each of their children by itself, one below the other.
const BOXES = [
  "display: flex; flex-direction: column",
  "display: grid; row-gap: 9px",
  "display: inline-flex; flex-flow: column; align-items: end",
  "display: -webkit-box; -webkit-box-orient: vertical",
];

// What hides a word of a paragraph that is new, and not its first.
const FAR = ["position: absolute; left: -9999px", "display: inline-block; width: 0; overflow: hidden", "display: none"];

// What would stay in view while the page is scrolled.
const STAYING = ["position: fixed; top: 0", "position: fixed !important; bottom: 0", "position: var(--p); top: 0", "position: sticky; top: 0"];

// What would put the current change somewhere else by and by, or once somebody points at the page.
const MOVING = {
  "an animation": "@keyframes a { 0% { height: 0 } 50% { height: 3000px } } i { animation: a .1s step-end infinite }",
  "an animation of what is before it": "@keyframes a { 0% { height: 0 } 50% { height: 3000px } } body::before { content: ''; display: block; animation: a .1s step-end infinite }",
  "an animation that comes later": "@keyframes a { to { height: 3000px } } i { animation: a 1s step-end .6s forwards }",
  "pointing": "html:hover i { height: 3000px }",
  "pointing, by an escape": "html:h\\6fver i { height: 3000px }",
  "pointing with a transition": "i { transition: height .1s } html:hover i { height: 3000px }",
  "pointing at what it is in": "p:hover, main:has(p):hover { display: none }",
};

export function layoutCases() {
  const sizeless = Object.entries(SIZELESS).flatMap(([name, versions]) =>
    ["merged", "side-by-side"].flatMap((view) => [
      { name: `layout, ${name} added, ${view}`, check: (desk) => sizelessFaults(desk, versions, view) },
      { name: `layout, ${name} removed, ${view}`, check: (desk) => sizelessFaults(desk, versions.toReversed(), view) },
    ]),
  );
  const hidden = HIDDEN.map(([rules, isKept]) => ({ name: `layout, ${rules}`, check: (desk) => hiddenFaults(desk, rules, isKept) }));
  const boxes = BOXES.flatMap((rules) =>
    ["merged", "side-by-side"].map((view) => ({ name: `layout, a text in ${rules}, ${view}`, check: (desk) => boxFaults(desk, rules, view) })),
  );
  const far = FAR.map((rules) => ({ name: `layout, a further mark with ${rules}`, check: (desk) => farFaults(desk, rules) }));
  const staying = STAYING.map((rules) => ({ name: `layout, scrolled with ${rules}`, check: (desk) => stayingFaults(desk, rules) }));
  const still = Object.entries(MOVING).map(([name, rules]) => ({ name: `layout, kept from ${name}`, check: (desk) => stillFaults(desk, rules) }));
  const printed = ["merged", "side-by-side"].map((view) => ({ name: `layout, on paper, ${view}`, check: (desk) => paperFaults(desk, view) }));
  return [...sizeless, ...hidden, ...boxes, ...far, ...staying, ...still, ...printed];
}

/// On paper it is told where links led and lead, and nothing is cut off, though the page has other rules there.
async function paperFaults({ open, program }, view) {
  const sheet = "@media print { p { font-size: 30px } @media (min-width: 1px) { p { padding: 9px } } } @media screen { p { margin: 0 } }";
  const version = (word) =>
    file(`<!DOCTYPE html><title>x</title><style>${sheet}</style>${"<p>words</p>".repeat(40)}<p><a href="https://${word}.example/${"a/".repeat(60)}">leads elsewhere</a><p>The end`);
  const { page, troubles, close } = await open(await htmldiff(program, version("old"), version("new"), view));
  const was = await page.evaluate(paper);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const faults = [];
  for (const { said, height, room } of await page.evaluate(paper)) {
    if (!/old\.example.*new\.example/.test(said)) faults.push(`it says ${said}`);
    if (height > room) faults.push(`${height} pixels in a frame of ${room}`);
  }
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  if (JSON.stringify(await page.evaluate(paper)) !== JSON.stringify(was)) faults.push("the page is not as it was");
  await close();
  return [...troubles, ...faults];
}

/// What marks of links say in words, how high pages are, and how high their frames.
function paper() {
  const { key } = document.body.dataset;
  return [...document.querySelectorAll("iframe")].map((frame) => {
    const mark = frame.contentDocument.querySelector(`[data-${key}][title]`);
    const height = frame.contentDocument.documentElement.scrollHeight;
    return { said: getComputedStyle(mark, "::after").content, height, room: frame.clientHeight };
  });
}

/// Whatever a page has goes with it when it is scrolled, however it is said where it stands.
async function stayingFaults({ open, program }, rules) {
  const bars = `<style>:root { --p: fixed } .bar { ${rules} }</style><div class=bar>by a sheet</div><div id=bar style="${rules}">by itself</div>`;
  const version = (word) => file(`<!DOCTYPE html><title>x</title>${bars}<p>Open ${word} today.</p>${"<p>nothing new</p>".repeat(200)}`);
  const { page, troubles, close } = await open(await htmldiff(program, version("old"), version("new"), "merged"));
  const tops = await page.evaluate(() => {
    const { contentDocument, contentWindow } = document.querySelector("iframe");
    contentWindow.scrollTo(0, 3000);
    return [".bar", "#bar"].map((bar) => contentDocument.querySelector(bar).getBoundingClientRect().top);
  });
  await close();
  return [...troubles, ...tops.filter((top) => top > -1000).map((top) => `it is at ${top}`)];
}

/// The current change stays in the middle, whatever would move on the page, and though somebody points at it.
async function stillFaults({ open, program }, rules) {
  const filler = "<p>nothing new</p>".repeat(60);
  const version = (word) => file(`<!DOCTYPE html><title>x</title><style>* { overflow-anchor: none } i { display: block } ${rules}</style><i></i><main>${filler}<p>Open ${word} today.</p>${filler}</main>`);
  const { page, troubles, close } = await open(await htmldiff(program, version("never"), version("always"), "merged"));
  await page.mouse.move(400, 5);
  await page.keyboard.press("n");
  const faults = [];
  for (const height of [300, 420, 421]) {
    await page.mouse.move(400, height);
    await page.waitForTimeout(330);
    const [[, top]] = await page.evaluate(places);
    if (top < 250 || top > 500) faults.push(`it is at ${top}`);
  }
  await close();
  return [...troubles, ...faults];
}

/// Words that are marked in a text stay one child of its box with it: the box is as high as it is in the page.
async function boxFaults({ open, program }, rules, view) {
  const version = (word) => file(`<!DOCTYPE html><title>x</title><div style="${rules}">Open ${word} on Sundays <b>${word}</b> in June</div>`);
  const [before, after] = [version("never"), version("always")];
  const plain = await open(after, { javaScriptEnabled: false });
  const expected = await plain.page.evaluate(() => document.querySelector("div").getBoundingClientRect().height);
  await plain.close();
  const { page, troubles, close } = await open(await htmldiff(program, before, after, view));
  const heights = await page.evaluate(() =>
    [...document.querySelectorAll("iframe")].map(({ contentDocument }) => contentDocument.querySelector("div").getBoundingClientRect().height),
  );
  await close();
  // The word in bold is a text by itself, and has two marks in a page that shows both.
  const most = expected + 2;
  return [...troubles, ...heights.filter((height) => height > most).map((height) => `it is ${height} high, and ${expected} in the page`)];
}

/// All marks of a change can be scrolled to when somebody goes to it, and the first is in view.
async function farFaults({ open, program }, rules) {
  const filler = "<p>nothing new</p>".repeat(60);
  const added = `<p>Quite <i>another</i> story <span class=far>hidden</span> is told <b>here</b></p>`;
  const version = (paragraph) => file(`${HEAD}<style>.far { ${rules} }</style><main>${filler}${paragraph}${filler}</main>`);
  const { page, troubles, close } = await open(await htmldiff(program, version(""), version(added), "merged"));
  await page.keyboard.press("n");
  const [first, ...others] = await page.evaluate(places);
  await close();
  const faults = first[1] > 0 && first[1] < 800 ? [] : [`the first mark is at ${first}`];
  if (others.length !== 5) faults.push(`${others.length} further marks`);
  const unreached = others.filter(([left, top, width, height]) => left < 0 || top < 0 || width < 20 || height < 6);
  return [...troubles, ...faults, ...unreached.map((place) => `a mark is at ${place}`)];
}

/// Where the current marks are, and how wide they are inside of what cuts them off.
function places() {
  const { key } = document.body.dataset;
  const { contentDocument } = document.querySelector("iframe");
  return [...contentDocument.querySelectorAll(`[data-${key}-current]`)].map((mark) => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    const isCut = getComputedStyle(mark.parentElement).overflowX !== "visible";
    const room = isCut ? mark.parentElement.getBoundingClientRect().width : Infinity;
    return [left, top, Math.min(width, room), height];
  });
}

async function sizelessFaults({ open, program }, [before, after], view) {
  const { page, troubles, close } = await open(await htmldiff(program, file(before), file(after), view));
  const [was, text] = [await page.evaluate(layout), await page.evaluate(words)];
  await page.keyboard.press("n");
  const faults = (await page.evaluate(layout)) === was ? [] : ["the layout is another"];
  if ((await page.evaluate(words)) !== text || /\u21B5/.test(text)) faults.push("the text is another");
  for (const [width, height] of await page.evaluate(sizes)) {
    if (width < 4 || height < 5) faults.push(`a mark is ${width} by ${height}`);
  }
  await close();
  return [...troubles, ...faults];
}

/// Goes to a change that is hidden, and on to another.
async function hiddenFaults({ open, program }, rules, isKept) {
  const version = (word) => file(`${HEAD}<style>.a { ${rules} }</style><main><p class=a style="margin-left: 1px">Open ${word}<p>Come ${word}</main>`);
  const { page, troubles, close } = await open(await htmldiff(program, version("never"), version("always"), "merged"));
  const [was, markup] = [await page.evaluate(layout), await page.evaluate(attributes)];
  await page.keyboard.press("n");
  const faults = [];
  for (const [width, height] of await page.evaluate(sizes)) {
    if (width < 4 || height < 5) faults.push(`a mark is ${width} by ${height}`);
  }
  if (isKept && (await page.evaluate(layout)) !== was) faults.push("the layout is another");
  await page.keyboard.press("n");
  if ((await page.evaluate(layout)) !== was) faults.push("the layout is not what it was");
  const left = await page.evaluate(attributes);
  if (left !== markup) faults.push(`forced for good: ${left}, was ${markup}`);
  await close();
  return [...troubles, ...faults];
}

/// Where the columns of the pages stand, and how.
function layout() {
  const pages = [...document.querySelectorAll("iframe")].map(({ contentDocument }) => contentDocument);
  return JSON.stringify(
    pages.map((page) => [
      getComputedStyle(page.body).display,
      ...[...page.querySelectorAll("nav, main, h1")].flatMap((element) => {
        const { left, top, width } = element.getBoundingClientRect();
        return [left, top + page.defaultView.scrollY, width];
      }),
    ]),
  );
}

function words() {
  return [...document.querySelectorAll("iframe")].map(({ contentDocument }) => contentDocument.body.textContent).join();
}

/// How large what is seen of the current marks is.
function sizes() {
  const { key } = document.body.dataset;
  return [...document.querySelectorAll("iframe")].flatMap(({ contentDocument }) =>
    [...contentDocument.querySelectorAll(`[data-${key}-current]`)].map((mark) => {
      const arrows = [...mark.querySelectorAll(`a[data-${key}-to]`)].reduce((sum, arrow) => sum + arrow.getBoundingClientRect().width, 0);
      const { width, height } = (mark.querySelector("img") ?? mark).getBoundingClientRect();
      return [width - (mark.querySelector("img") ? 0 : arrows), height];
    }),
  );
}

function attributes() {
  const { key } = document.body.dataset;
  const { contentDocument } = document.querySelector("iframe");
  const told = [...contentDocument.querySelectorAll("*")].map((element) => {
    return ["style", "hidden", "open", `data-${key}-bare`].map((name) => element.getAttribute(name)).join("|");
  });
  return told.join(" ");
}
