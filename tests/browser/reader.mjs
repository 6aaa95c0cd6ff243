// What does a reader see of a view, and where do the keys lead?

/// Calls a function of those below in a page; it may call the others.
export function ask(page, question, ...details) {
  const known = [all, kindOf, survey, bannerFaults, currentFaults, walkFaults, contrasts, currentMarks, markupFaults, click].join("\n");
  return page.evaluate(`(() => { ${known}\n return ${question.name}(...${JSON.stringify(details)}); })()`);
}

// What a mark says: most are an element that says it by itself.
function kindOf(mark, key) {
  return mark.getAttribute(`data-${key}-kind`) ?? { ins: "added", del: "removed" }[mark.localName];
}

// A page may have an image named `querySelectorAll`.
function all(page, selector) {
  return Document.prototype.querySelectorAll.call(page, selector);
}

/// What the view says of itself: number of changes, marks in order, its banner.
export function survey() {
  const { key, changes, view } = document.body.dataset;
  const frames = [...document.querySelectorAll("iframe")];
  const documents = frames.length ? frames.map((frame) => frame.contentDocument) : [document];
  const marks = documents.flatMap((page) =>
    [...all(page, `[data-${key}]:not([data-${key}=""])`)].map((mark) => ({
      number: Number(mark.getAttribute(`data-${key}`)),
      kind: kindOf(mark, key),
      text: mark.textContent,
    })),
  );
  return { key, changes: Number(changes), view, frames: frames.length, marks, title: document.title };
}

/// What is wrong with the banner: it has to be seen whole, with nothing above it.
export function bannerFaults() {
  const banner = document.querySelector("#banner");
  const box = banner.getBoundingClientRect();
  const faults = [];
  if (box.width < 300 || box.height < 10) faults.push(`the banner is ${box.width} by ${box.height}`);
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) faults.push("the banner is not in view");
  for (const part of [0.02, 0.25, 0.5, 0.75, 0.98]) {
    const above = document.elementFromPoint(box.left + box.width * part, box.top + box.height / 2);
    if (!banner.contains(above)) faults.push(`something is above the banner: ${above?.outerHTML.slice(0, 80)}`);
  }
  return faults;
}

/// What is wrong when `change` is the current one: its marks are the current ones, in view, and the banner tells of it.
export async function currentFaults(change) {
  const { key } = document.body.dataset;
  const frames = [...document.querySelectorAll("iframe")];
  const views = frames.length ? frames.map((frame) => [frame.contentDocument, frame]) : [[document, null]];
  // Scrolling may take a moment, which is granted once it is needed.
  for (let waited = 0; ; waited += 50) {
    const faults = look();
    if (!faults.length || waited >= 600) return faults;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  function look() {
    const faults = [];
    let seen = 0;
    for (const [page, frame] of views) {
      const current = [...all(page, `[data-${key}-current]`)];
      const strangers = current.filter((mark) => mark.getAttribute(`data-${key}`) !== String(change));
      if (strangers.length) faults.push(`also current: ${strangers.map((mark) => mark.getAttribute(`data-${key}`))}`);
      // What moved has marks at both places, and the one with the name is where it is now.
      const [mark] = [...all(page, `[id="${key}-${change}"]`), ...all(page, `[data-${key}="${change}"]`)];
      if (!mark) continue;
      seen++;
      if (!mark.hasAttribute(`data-${key}-current`)) faults.push("its mark is not current");
      faults.push(...placeFaults(mark, frame));
    }
    if (!seen) faults.push("it has no mark");
    const told = document.querySelector("#current").textContent;
    if (!new RegExp(`(^|\\D)${change}(\\D|$)`).test(told)) faults.push(`the banner says \`${told}\``);
    return faults.map((fault) => `change ${change}: ${fault}`);
  }

  // In view is the middle of what its first line has inside the frame, where the top document shows the frame.
  function placeFaults(mark, frame) {
    const box = [...mark.getClientRects()].find((box) => box.width && box.height) ?? mark.getBoundingClientRect();
    if (!box.height) return ["its mark has no height"];
    const inner = mark.ownerDocument.defaultView;
    const x = (Math.max(0, box.left) + Math.min(inner.innerWidth, box.right)) / 2;
    const y = (Math.max(0, box.top) + Math.min(inner.innerHeight, box.bottom)) / 2;
    if (x < box.left - 1 || x > box.right + 1 || y < box.top || y > box.bottom) return [`its mark is at ${box.left}, ${box.top}, out of view`];
    const place = frame?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const above = document.elementFromPoint(place.left + x, place.top + y);
    return (frame ?? mark).contains(above) ? [] : [`above its mark is ${above?.outerHTML.slice(0, 80)}`];
  }
}

/// What is wrong on the way from change to change by keys, pressed here; from the first to the last and back.
export async function walkFaults(from, to, key) {
  const faults = [];
  const step = from <= to ? 1 : -1;
  for (let change = from; change !== to + step; change += step) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    faults.push(...(await currentFaults(change)));
    if (faults.length > 5) break;
  }
  return faults;
}

/// How the marks stand out: of every kind, the least contrast of its text, and the lines and borders that it has.
export function contrasts() {
  const { key } = document.body.dataset;
  const found = {};
  for (const page of [document, ...[...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument)]) {
    for (const mark of all(page, `[data-${key}]`)) note(kindOf(mark, key), mark);
  }
  note("banner", document.querySelector("#current"));
  return found;

  function note(kind, element) {
    const style = element.ownerDocument.defaultView.getComputedStyle(element);
    const contrast = ratio(light(style.color), light(ground(element)));
    const lines = [style.textDecorationLine, style.borderTopStyle, style.borderBottomStyle, style.borderLeftStyle, style.outlineStyle];
    const known = (found[kind] ??= { contrast, lines: [] });
    known.contrast = Math.min(known.contrast, contrast);
    known.lines = [...new Set([...known.lines, ...lines.filter((line) => line !== "none")])];
  }

  function ground(element) {
    for (let at = element; at; at = at.parentElement) {
      const colour = element.ownerDocument.defaultView.getComputedStyle(at).backgroundColor;
      if (!/, 0\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  }

  function light(colour) {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function linear(part) {
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }

  function ratio(one, other) {
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  }
}

/// Where the words of the current change are that have a mark, in the window, and the colour behind them; or those of other marks.
export function currentMarks(which = "[data-KEY-current]") {
  const { key } = document.body.dataset;
  return [...document.querySelectorAll("iframe")].flatMap((frame) => {
    const place = frame.getBoundingClientRect();
    const words = [...all(frame.contentDocument, which.replaceAll("KEY", key))].flatMap((mark) => wordsOf(mark, frame));
    return words.map(({ box, ground, text }) => {
      const [x, y] = [Math.max(0, Math.floor(place.left + box.left)), Math.max(0, Math.floor(place.top + box.top))];
      const [right, bottom] = [Math.min(innerWidth, place.left + box.right), Math.min(innerHeight, place.top + box.bottom)];
      return { box: { x, y, width: Math.max(1, right - x), height: Math.max(1, bottom - y) }, ground, text };
    });
  });

  // Its arrows are no words of a mark.
  function wordsOf(mark, frame) {
    const range = new Range();
    const texts = [...mark.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const ground = frame.contentWindow.getComputedStyle(mark).backgroundColor;
    return texts.slice(0, 1).flatMap((text) => {
      range.selectNodeContents(text);
      const box = range.getClientRects()[0] ?? mark.getBoundingClientRect();
      return box.top < frame.clientHeight ? [{ box, ground, text: text.data }] : [];
    });
  }
}

/// What a page in a frame must not have any more, whether or not a browser would mind it.
export function markupFaults() {
  const faults = [];
  const { key } = document.body.dataset; // of the arrows of marks in links, which are in an object
  const elements = `script, base, link, meta[http-equiv], object:not([data-${key}-to]), embed, applet, iframe, frame, frameset, portal, fencedframe, form, template, [action], [formaction], [ping], [autofocus], [accesskey], [contenteditable], [srcdoc], [inert]`;
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument;
    for (const element of all(page, elements)) faults.push(element.outerHTML);
    for (const own of all(page, `ins:not([data-${key}]), del:not([data-${key}])`)) {
      if (getComputedStyle(own).backgroundColor !== "rgba(0, 0, 0, 0)") faults.push(`the ground of ${own.outerHTML}`);
    }
    for (const element of all(page, "*")) {
      for (const { name, value } of Element.prototype.getAttributeNames.call(element).map((name) => ({ name, value: element.getAttribute(name) }))) {
        if (/^on/i.test(name) || (/(^|:)(href|src|srcset|poster|background|data)$/.test(name) && !isHarmless(value))) faults.push(`${name}="${value}"`);
      }
    }
  }
  return faults.map((fault) => `left in the page: ${fault.slice(0, 100)}`);

  function isHarmless(address) {
    return /^(https?:\/\/|mailto:|tel:|about:srcdoc#|#|data:(image|audio|video|font)\/)/.test(address);
  }
}

/// Clicks whatever can be clicked in the frames, but for links that open a window.
export function click() {
  for (const frame of document.querySelectorAll("iframe")) {
    const found = all(frame.contentDocument, "a, area, button, input, summary, label, select, option, xss, p, div, svg *, math *");
    const leads = (element) => element.closest("[target=_blank][href^='http'], [target=_blank][href^='mailto:'], [target=_blank][href^='tel:']");
    for (const element of found) {
      if (!leads(element)) element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
    }
  }
}
