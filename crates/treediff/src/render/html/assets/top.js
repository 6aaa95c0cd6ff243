
// Which change is the current one? Keys, buttons and links choose it; it is told in the banner, outlined and brought into view.
//
// The page in a frame is a stranger: an image named `body` or a field named `style` would stand in for what scripts know by
// these names. So its documents and elements are asked through prototypes of ours alone, and our marks are found by the key.
(() => {
  "use strict";
  const KEY = document.body.dataset.key;
  const COUNT = Number(document.body.dataset.changes);
  const frames = [...document.querySelectorAll("iframe")];
  const links = [...document.querySelectorAll("#map a")];
  const told = document.querySelector("#current");
  const buttons = ["first", "previous", "next", "last"].map((id) => document.querySelector("#" + id));
  buttons.forEach((button) => (button.hidden = false));
  // One is enough for all pages where there is a script.
  const [undressing, ...others] = document.querySelectorAll("#switches a");
  others.forEach((link) => (link.hidden = true));
  if (undressing) undressing.textContent = "Plain";
  const isLocked = frames.length === 2;
  const looking = document.querySelector("#formatting");
  if (looking) looking.hidden = false;
  let current = 0;
  let format = -1; // which of those that are in the pages
  let shown = [];
  let showAgain = () => {};

  // ---- Asking a stranger

  const getter = (prototype, name) => {
    const { get } = Object.getOwnPropertyDescriptor(prototype, name);
    return (object) => get.call(object);
  };
  const method = (prototype, name) => (object, ...details) => prototype[name].call(object, ...details);
  const parentOf = getter(Node.prototype, "parentElement");
  const rootOf = getter(Document.prototype, "documentElement");
  const bodyOf = getter(Document.prototype, "body");
  const stateOf = getter(Document.prototype, "readyState");
  const childrenOf = getter(Element.prototype, "children");
  const nameOf = getter(Element.prototype, "localName");
  const textOf = getter(Node.prototype, "textContent");
  const sheetsOf = getter(Document.prototype, "styleSheets");
  const pageOf = getter(Node.prototype, "ownerDocument");
  const scrolledRight = getter(Element.prototype, "scrollLeft");
  const scrolledDown = getter(Element.prototype, "scrollTop");
  const widthOf = getter(Element.prototype, "clientWidth");
  const allIn = method(Document.prototype, "querySelectorAll");
  const animationsOf = method(Document.prototype, "getAnimations");
  const hitIn = method(Document.prototype, "elementFromPoint");
  const closest = method(Element.prototype, "closest");
  const has = method(Element.prototype, "hasAttribute");
  const read = method(Element.prototype, "getAttribute");
  const write = method(Element.prototype, "setAttribute");
  const erase = method(Element.prototype, "removeAttribute");
  const boxOf = method(Element.prototype, "getBoundingClientRect");
  const holds = method(Node.prototype, "contains");
  const listen = method(EventTarget.prototype, "addEventListener");
  const styleOf = (element) => getComputedStyle(element);

  const documents = () => (frames.length ? frames.map((frame) => frame.contentDocument).filter(Boolean) : [document]);
  // Marks of what only looks different have no number.
  const MARKS = `[data-${KEY}]:not([data-${KEY}=""])`;
  const marksOf = (page, number) => [...allIn(page, `[data-${KEY}="${number}"]`)];

  // ---- Going to a change

  function go(number, mark) {
    if (!COUNT) return;
    // What was clicked is seen as the page is now.
    if (!mark) takeBack();
    current = Math.min(Math.max(number, 1), COUNT);
    showAgain = () => go(current);
    const found = choose(documents().map((page) => marksOf(page, current)));
    tell();
    // What moved has marks at both places, and the one with the name is where it is now.
    const places = found.filter((marks) => marks.length && !marks.includes(mark));
    places.forEach((marks) => bring(marks, marks.find((one) => one.id === `${KEY}-${current}`) ?? marks[0]));
  }

  // Makes these marks the current ones.
  function choose(found) {
    shown.forEach((old) => erase(old, `data-${KEY}-current`));
    shown = found.flat();
    shown.forEach((now) => write(now, `data-${KEY}-current`, ""));
    return found;
  }

  // What only looks different has numbers of its own, since it is no part of the count; behind the last comes the first.
  function goToFormat(step) {
    const marks = documents().flatMap((page) => [...allIn(page, `[data-${KEY}-format]`)]);
    const numberOf = (mark) => Number(read(mark, `data-${KEY}-format`));
    const numbers = [...new Set(marks.map(numberOf))].sort((one, other) => one - other);
    if (!numbers.length) return;
    takeBack();
    format = ((step < 0 ? Math.max(format, 0) : format) + step + numbers.length) % numbers.length;
    showAgain = () => goToFormat(0);
    const found = documents().map((page) => marks.filter((mark) => pageOf(mark) === page && numberOf(mark) === numbers[format]));
    choose(found);
    told.textContent = `formatting ${format + 1} of ${numbers.length} · ${words(shown.slice(0, 1))} ${read(shown[0], "title") ?? ""}`;
    found.filter((some) => some.length).forEach((some) => bring(some, some[0]));
  }

  function tell() {
    const link = links[current - 1];
    const absent = shown.length ? "" : " (not in this page)";
    told.textContent = `${current} of ${COUNT} · ${link ? link.title : words(shown)}${absent}`;
    document.querySelectorAll(".current").forEach((old) => old.classList.remove("current"));
    [link, ...shown.filter((mark) => mark.ownerDocument === document)].forEach((now) => now?.classList.add("current"));
    [1, current - 1, current + 1, COUNT].forEach((number, at) => lead(buttons[at], number));
    try {
      history.replaceState(null, "", `#change-${current}`);
    } catch {
      // Some browsers allow only so many a minute.
    }
  }

  // Changes that are too many have no link, and are told by their words.
  const words = (marks) => marks.slice(0, 4).map((mark) => `“${textOf(mark).trim().slice(0, 60)}”`).join(" ");

  function lead(button, number) {
    const isThere = number >= 1 && number <= COUNT;
    if (isThere) button.removeAttribute("aria-disabled");
    else button.setAttribute("aria-disabled", "true");
    if (!isThere) return button.removeAttribute("href");
    button.href = links[number - 1]?.getAttribute("href") ?? `#${KEY}-${number}`;
    button.target = links[number - 1]?.target ?? "";
  }

  function bring(marks, first) {
    if (!frames.length) return first.scrollIntoView({ block: "center", behavior: "instant" });
    still(pageOf(first));
    const some = marks.slice(0, REVEALED);
    some.forEach((mark) => {
      elementsAround(mark).reverse().forEach((element) => open(element, ["revert", "block"]));
      contentOf(mark).forEach((element) => open(element, ["inline-block"]));
    });
    // The one that is scrolled to comes last.
    free(some.filter((mark) => mark !== first));
    reveal(first);
    new Set(some.flatMap(elementsAround)).forEach(hold);
    some.forEach(uncover);
    // What was put aside may have been above it.
    scrollTo(first);
    frames.forEach((frame) => settled.set(frame, frame.contentWindow?.scrollY));
  }

  // The pages without their styles, and back; the current change is brought there as well.
  function undress() {
    takeBack();
    const isPlain = frames.some((frame) => frame.contentWindow.location.hash === PLAINLY);
    frames.forEach((frame) => frame.contentWindow.location.replace(`about:srcdoc${isPlain ? "#" : PLAINLY}`));
    undressing.textContent = isPlain ? "Plain" : "Styled";
    anchors = null;
    showAgain();
  }

  const PLAINLY = `#${KEY}-plain`;
  const byKey = { n: 1, j: 1, p: -1, k: -1 };
  const formatByKey = { f: 1, F: -1 };

  function pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (isElement(event.target) && closest(event.target, "input, textarea, select, [contenteditable]")) return;
    if (event.key in byKey) go(current + byKey[event.key]);
    else if (event.key in formatByKey && looking) goToFormat(formatByKey[event.key]);
    else if (event.key === "Home") go(1);
    else if (event.key === "End") go(COUNT);
    else if (event.key === "u" && frames.length) undress();
    else return;
    event.preventDefault();
  }

  const isElement = (target) => Boolean(target) && target.nodeType === 1;
  const numberIn = (address) => Number(address?.match(/-(\d+)$/)?.[1]);

  // ---- Nothing of the page hides the current mark

  const REVEALED = 200; // marks of one change
  const WIDE = 20; // pixels of a mark that have to be seen
  const COVERS = 40; // that are taken away from one mark

  const styles = [HTMLElement, SVGElement, MathMLElement].map((kind) => getter(kind.prototype, "style"));

  function declarations(element) {
    for (const style of styles) {
      try {
        return style(element);
      } catch {
        // It is of another kind.
      }
    }
  }

  // Attributes as they were before something was forced on the page for the sake of the current mark.
  const forced = [];

  function force(element, attribute) {
    forced.push([element, attribute, read(element, attribute)]);
  }

  function takeBack() {
    for (const [element, attribute, was] of forced.splice(0).reverse()) {
      if (was === null) erase(element, attribute);
      else write(element, attribute, was);
    }
  }

  function style(element, rules) {
    force(element, "style");
    const own = declarations(element);
    Object.entries(rules).forEach(([name, value]) => own?.setProperty(name, value, "important"));
  }

  function elementsAround(mark) {
    const around = [];
    for (let at = parentOf(mark); at; at = parentOf(at)) around.push(at);
    return around;
  }

  // What is looked at as a whole; arrows come and go by our styles.
  function contentOf(mark) {
    return [...childrenOf(mark)].filter((element) => !has(element, `data-${KEY}-to`));
  }

  // Tells our styles what is around marks, each element once.
  function surround(page) {
    for (const mark of allIn(page, MARKS)) {
      for (let at = parentOf(mark); at && !has(at, `data-${KEY}-around`); at = parentOf(at)) claim(at);
    }
  }

  // What an element says of itself with priority would count for more than our styles.
  function claim(element) {
    write(element, `data-${KEY}-around`, "");
    const own = declarations(element) ?? [];
    const urgent = Array.from(own).filter((name) => own.getPropertyPriority(name));
    urgent.forEach((name) => own.setProperty(name, own.getPropertyValue(name)));
  }

  function open(element, displays) {
    // What only looks different may be in something that no change is in.
    if (!has(element, `data-${KEY}-around`)) {
      force(element, `data-${KEY}-around`);
      claim(element);
    }
    if (has(element, "hidden")) {
      force(element, "hidden");
      erase(element, "hidden");
    }
    if (nameOf(element) === "details" && !has(element, "open")) {
      force(element, "open");
      write(element, "open", "");
    }
    for (const display of displays) {
      if (styleOf(element).display === "none") style(element, { display });
    }
  }

  // Forces as little as will do: what a layout is made of comes last.
  function reveal(mark) {
    const around = elementsAround(mark);
    for (const rules of PLAIN) {
      if (isShown(mark, around)) return;
      around.forEach((element) => style(element, rules));
    }
    isShown(mark, around);
  }

  const PLAIN = [
    { overflow: "visible", contain: "none", height: "auto", "max-height": "none", content: "normal", "text-indent": "0" },
    {
      position: "static", float: "none", transform: "none", margin: "0", width: "auto", "max-width": "none", "min-width": "0",
      columns: "auto",
    },
    { "white-space": "normal", display: "block" },
  ];

  // What moves on a page is at its end at once, as a reader would find it who waits, and what has no end has not begun. What begins
  // later is paused by our styles.
  function still(page) {
    write(rootOf(page), `data-${KEY}-still`, "");
    for (const animation of animationsOf(page)) {
      try {
        animation.finish();
      } catch {
        animation.cancel();
      }
    }
  }

  // Tells our styles what the current change is in.
  function hold(element) {
    force(element, `data-${KEY}-holds`);
    write(element, `data-${KEY}-holds`, "");
  }

  // Lets marks be found that nothing is scrolled to, all of them at a time: to lay out a page anew for each would take too long.
  function free(marks) {
    let cut = marks.map((mark) => [mark, elementsAround(mark)]);
    for (const rules of PLAIN) {
      cut = cut.filter(([mark, around]) => !isInReach(mark, around));
      new Set(cut.flatMap(([, around]) => around)).forEach((element) => style(element, rules));
    }
  }

  // The middle of a mark that goes over lines may be between two of them: its first line counts.
  function scrollTo(mark) {
    mark.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const { top, bottom } = firstBox(mark) ?? { top: 0, bottom: 0 };
    const { clientHeight } = frameOf(mark);
    const above = (top + bottom - clientHeight) / 2;
    if (top < 0 || bottom > clientHeight) pageOf(mark).defaultView.scrollBy({ top: above, behavior: "instant" });
  }

  const frameOf = (mark) => frames.find((frame) => frame.contentDocument === pageOf(mark));

  // Whether enough of a mark is in view once it is scrolled to, and inside all that cuts off what is in it.
  function isShown(mark, around) {
    scrollTo(mark);
    const { clientWidth, clientHeight } = frameOf(mark);
    const edges = around.filter(cutsOff).map(boxOf);
    return isInside(firstBox(mark), [...edges, { left: 0, top: 0, right: clientWidth, bottom: clientHeight }]);
  }

  // Whether a reader could scroll to a mark, by the page and by what in it can be scrolled. One that has no box is nowhere.
  function isInReach(mark, around) {
    let [box, edges] = [firstBox(mark), []];
    if (!box) return true;
    for (const element of around.filter(cutsOff)) {
      const edge = boxOf(element);
      if (!canBeScrolled(element)) {
        edges.push(edge);
      } else {
        if (!isInside(box, [...edges, beginning(element, edge)])) return false;
        [box, edges] = [edge, []];
      }
    }
    const root = rootOf(pageOf(mark));
    return isInside(box, [...edges, beginning(root, { left: 0, top: 0, right: widthOf(root) })]);
  }

  // Nothing can be scrolled to that stands before the beginning of what is scrolled.
  function beginning(element, { left, top, right }) {
    const isMirrored = styleOf(element).direction === "rtl";
    return {
      left: isMirrored ? -Infinity : left - scrolledRight(element),
      top: top - scrolledDown(element),
      right: isMirrored ? right - scrolledRight(element) : Infinity,
      bottom: Infinity,
    };
  }

  function cutsOff(element) {
    const { display, overflowX, overflowY, contain } = styleOf(element);
    const page = pageOf(element);
    const cuts = display !== "inline" && (overflowX !== "visible" || overflowY !== "visible" || contain !== "none");
    return cuts && element !== rootOf(page) && element !== bodyOf(page);
  }

  function canBeScrolled(element) {
    const { overflowX, overflowY } = styleOf(element);
    const { width, height } = boxOf(element);
    return [overflowX, overflowY].some((way) => way === "auto" || way === "scroll") && width >= WIDE && height >= 2 * WIDE;
  }

  // Whether enough of a box, if there is one, is inside of all edges.
  function isInside(box, edges) {
    if (!box) return false;
    const [left, top] = ["left", "top"].map((side) => Math.max(box[side], ...edges.map((edge) => edge[side])));
    const [right, bottom] = ["right", "bottom"].map((side) => Math.min(box[side], ...edges.map((edge) => edge[side])));
    return right - left >= Math.min(box.width, WIDE) && bottom - top >= Math.min(6, box.height);
  }

  // The first of its boxes that has a size. Where none has, nothing hides it: there is nothing to see, and it has a place all the same.
  function firstBox(mark) {
    const boxes = [...mark.getClientRects()];
    return boxes.find(({ width, height }) => width >= 1 && height >= 6) ?? boxes[0];
  }

  function uncover(mark) {
    const page = mark.ownerDocument;
    for (let covers = 0; covers < COVERS; covers++) {
      const box = firstBox(mark);
      const hits = box ? [0.5, 0.1, 0.9].map((part) => hitIn(page, box.left + part * box.width, (box.top + box.bottom) / 2)) : [];
      const hit = hits.find((found) => found && !closest(found, `[data-${KEY}]`));
      if (!hit) return;
      if (!holds(hit, mark)) {
        hide(hit);
      } else if (!has(hit, `data-${KEY}-bare`)) {
        // What is hit of something around the mark is generated content of it, or its ground.
        force(hit, `data-${KEY}-bare`);
        write(hit, `data-${KEY}-bare`, "");
      } else return;
    }
  }

  // Hides what is hit, and what it is a part of up to something that stands by itself, but no mark of this change.
  function hide(hit) {
    const isFree = (element) => element && !shown.slice(0, REVEALED).some((mark) => holds(element, mark));
    if (!isFree(hit)) return;
    let cover = hit;
    while (styleOf(cover).position === "static" && isFree(parentOf(cover))) cover = parentOf(cover);
    style(cover, { display: "none" });
    if (styleOf(hit).display !== "none") style(hit, { display: "none" });
  }

  // ---- Both pages scroll together

  const settled = new Map();
  let anchors = null;

  // Pairs of heights that belong together, from the top to the bottom, none of them crossing: where changes begin, and where
  // they end, since what is new on one side only has its whole height there.
  function measure() {
    const [before, after] = frames.map((frame) => {
      const extents = new Map([[0, [0, 0]]]);
      for (const mark of allIn(frame.contentDocument, MARKS)) {
        const number = Number(read(mark, `data-${KEY}`));
        const box = boxOf(mark);
        const [top, bottom] = [box.top, box.bottom].map((height) => height + frame.contentWindow.scrollY);
        const known = extents.get(number) ?? [top, bottom];
        extents.set(number, [Math.min(known[0], top), Math.max(known[1], bottom)]);
      }
      return extents;
    });
    const ends = frames.map((frame) => rootOf(frame.contentDocument).scrollHeight);
    const pairs = [...before]
      .filter(([number]) => after.has(number))
      .flatMap(([number, extent]) => [0, 1].map((edge) => [extent[edge], after.get(number)[edge]]));
    pairs.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    anchors = { ends, pairs: [[0, 0]] };
    for (const pair of [...pairs, ends]) {
      const last = anchors.pairs.at(-1);
      const isOn = pair[0] > last[0] || pair[1] > last[1];
      if (isOn && pair[0] >= last[0] && pair[1] >= last[1] && pair[1] <= ends[1]) anchors.pairs.push(pair);
    }
  }

  function follow(frame) {
    const [from, to] = frame === frames[0] ? [0, 1] : [1, 0];
    const { scrollY } = frame.contentWindow;
    if (Math.abs(scrollY - (settled.get(frame) ?? -9)) < 2) return;
    settled.set(frame, scrollY);
    const ends = frames.map((each) => rootOf(each.contentDocument).scrollHeight);
    if (!anchors || anchors.ends.some((end, at) => end !== ends[at])) measure();
    const eye = frame.clientHeight / 2;
    const place = between(scrollY + eye, from, to) - eye;
    const edges = [0, ends[from] - frame.clientHeight];
    const other = frames[to];
    const top = scrollY <= edges[0] ? 0 : scrollY >= edges[1] - 1 ? ends[to] : place;
    other.contentWindow.scrollTo(0, top);
    settled.set(other, other.contentWindow.scrollY);
  }

  // The height on the other side, in proportion between the anchors around it.
  function between(height, from, to) {
    const { pairs } = anchors;
    let [low, high] = [0, pairs.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (pairs[middle][from] <= height) low = middle;
      else high = middle;
    }
    const [one, other] = [pairs[low], pairs[high]];
    const part = one === other ? 0 : (height - one[from]) / (other[from] - one[from]);
    return one[to] + part * (other[to] - one[to]);
  }

  // ---- Events of the frames' documents

  const known = new WeakSet();

  function attach(frame) {
    const page = frame.contentDocument;
    if (!page || known.has(page)) return;
    known.add(page);
    listen(page, "keydown", pressed);
    listen(page, "click", clicked, true);
    if (isLocked) listen(page, "scroll", () => requestAnimationFrame(() => follow(frame)), { passive: true });
  }

  function clicked(event) {
    if (!isElement(event.target)) return;
    const link = closest(event.target, "a, area");
    const address = link && (read(link, "href") ?? read(link, "xlink:href"));
    const isInside = address?.startsWith("about:srcdoc#");
    if (address && !isInside && read(link, "target") !== "_blank") event.preventDefault();
    if (isInside && address.startsWith(`about:srcdoc#${KEY}-`)) {
      event.preventDefault();
      return go(numberIn(address));
    }
    const mark = closest(event.target, MARKS);
    if (mark && !address) go(Number(read(mark, `data-${KEY}`)), mark);
  }

  function loaded(frame) {
    attach(frame);
    surround(frame.contentDocument);
    anchors = null;
    if (frames.every((each) => each.contentDocument && stateOf(each.contentDocument) === "complete")) start();
  }

  // A permanent link to a change leads to it as soon as the pages are there.
  function start() {
    const number = Number(location.hash.match(/^#change-(\d+)$/)?.[1]);
    if (number && number !== current) go(number);
  }

  // A page is there before all that it loads is, and keys are meant for it as well.
  const waiting = setInterval(() => frames.forEach(attach), 100);
  addEventListener("load", () => clearInterval(waiting));
  for (const frame of frames) {
    attach(frame);
    frame.addEventListener("load", () => loaded(frame));
  }
  if (!frames.length) start();
  addEventListener("hashchange", start);
  addEventListener("keydown", pressed);
  addEventListener("resize", () => (anchors = null));
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#map a, #go a, #switches a");
    if (!link) return;
    event.preventDefault();
    if (link.closest("#switches")) return undress();
    if (link === looking) return goToFormat(1);
    if (link.hasAttribute("href")) go(numberIn(link.getAttribute("href")));
  });

  // ---- On paper a frame is as high as its page, at the width of the paper, and with what marks say when they are pointed at

  addEventListener("beforeprint", () => {
    for (const frame of frames) {
      const root = rootOf(frame.contentDocument);
      write(root, `data-${KEY}-printed`, "");
      layOutForPaper(frame.contentDocument);
      frame.style.cssText = `flex:none;width:${180 / frames.length}mm;height:1px`;
      frame.style.height = root.scrollHeight + "px";
    }
  });
  addEventListener("afterprint", () => {
    for (const frame of frames) {
      erase(rootOf(frame.contentDocument), `data-${KEY}-printed`);
      frame.style.cssText = "";
    }
    for (const [media, was] of screens.splice(0)) media.mediaText = was;
  });

  const screens = []; // media of style sheets and of rules in them, as they were

  // Rules that a page has for paper count before it is printed, or nobody would know how high it is then.
  function layOutForPaper(page) {
    const rules = [...sheetsOf(page)];
    for (let rule = rules.pop(); rule; rule = rules.pop()) {
      const media = rule.media;
      if (media?.mediaText) {
        screens.push([media, media.mediaText]);
        media.mediaText = media.mediaText.replace(/\bprint\b/g, "all").replace(/\bscreen\b/g, "speech");
      }
      for (const inner of rulesIn(rule)) rules.push(inner);
    }
  }

  // Those of a sheet that was loaded from elsewhere are not told.
  function rulesIn(rule) {
    try {
      return rule.cssRules ?? [];
    } catch {
      return [];
    }
  }
})();
