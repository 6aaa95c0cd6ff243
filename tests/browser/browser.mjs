// How is a page opened so that nothing that it does goes unnoticed?

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { chromium } = createRequire(`${root}.cache/browser/package.json`)("playwright-core");

// What the browser asks for by itself, whatever is open.
const OF_CHROMIUM = /^(http:\/\/)?((accounts|clients\d|www)\.google\.com|[\w-]+\.googleapis\.com|[\w-]+\.gvt1\.com)[:/]/;

/// A browser whose only way out is a proxy that answers nothing and remembers who was asked for.
export async function launch() {
  const asked = [];
  const proxy = await listening(asked);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [`--proxy-server=http://127.0.0.1:${proxy.address().port}`, "--proxy-bypass-list=<-loopback>"],
  });
  const close = async () => {
    await browser.close();
    proxy.closeAllConnections();
    proxy.close();
  };
  return { browser, asked, close };
}

async function listening(asked) {
  const refuse = (request, answer) => {
    if (!OF_CHROMIUM.test(request.url)) asked.push(request.url);
    answer.end("HTTP/1.1 502 Refused\r\n\r\n");
  };
  const proxy = createServer((request, response) => refuse(request, response.socket));
  proxy.on("connect", refuse);
  await new Promise((ready) => proxy.listen(0, "127.0.0.1", ready));
  return proxy;
}

/// Where one worker looks at pages. Windows are kept for the next page that asks for the same, which is much faster.
export function desk(browser) {
  const windows = new Map();
  return async function open(file, options = {}) {
    const key = JSON.stringify(options);
    if (!windows.has(key)) windows.set(key, await windowFor(browser, options));
    const page = windows.get(key);
    const address = pathToFileURL(file).href;
    const { troubles, release } = watched(page, address);
    await page.goto(address, { waitUntil: "load" });
    const close = async () => {
      release();
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.context().unrouteAll();
      await page.goto("about:blank");
    };
    return { page, troubles, close };
  };
}

async function windowFor(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  context.setDefaultTimeout(20_000);
  return context.newPage();
}

/// What a page does that a view does not do: messages, errors, dialogs, windows, requests, other addresses.
function watched(page, address) {
  const troubles = [];
  const watchers = {
    console: (message) => troubles.push(`console: ${message.text()}`),
    pageerror: (error) => troubles.push(`error: ${error.message}`),
    dialog: (dialog) => (troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss().catch(() => {})),
    popup: (popup) => troubles.push(`window: ${popup.url()}`),
    download: (download) => troubles.push(`download: ${download.url()}`),
    request: (request) => request.url() === address || troubles.push(`request: ${request.url()}`),
    framenavigated: (frame) => isOurs(frame.url(), address) || troubles.push(`went to: ${frame.url()}`),
  };
  for (const [event, watcher] of Object.entries(watchers)) page.on(event, watcher);
  const release = () => Object.entries(watchers).forEach(([event, watcher]) => page.off(event, watcher));
  return { troubles, release };
}

// A new frame is reported before it has an address.
function isOurs(url, address) {
  return url === "" || url === "about:srcdoc" || url.startsWith("about:srcdoc#") || url.split("#")[0] === address;
}
