// How is a page opened so that nothing it does goes unnoticed?

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

/// A page of a file, and what it did that a view does not do: messages, errors, dialogs, requests, other addresses.
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const troubles = [];
  page.on("console", (message) => troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => (troubles.push(`dialog: ${dialog.message()}`), dialog.dismiss().catch(() => {})));
  page.on("popup", (popup) => troubles.push(`window: ${popup.url()}`));
  page.on("download", (download) => troubles.push(`download: ${download.url()}`));
  page.on("request", (request) => request.url() === address || troubles.push(`request: ${request.url()}`));
  page.on("framenavigated", (frame) => isOurs(frame.url(), address) || troubles.push(`went to: ${frame.url()}`));
  await page.goto(address, { waitUntil: "load" });
  return { page, troubles, close: () => context.close() };
}

// A new frame is reported before it has an address.
function isOurs(url, address) {
  return url === "" || url === "about:srcdoc" || url.startsWith("about:srcdoc#") || url.split("#")[0] === address;
}
