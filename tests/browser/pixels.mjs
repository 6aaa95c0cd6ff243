// How much of its own ground does a mark have in a picture?

let canvas; // a page that decodes pictures

/// For each of some boxes the share of its pixels that have its ground, an `rgb(…)`.
export async function groundShares(browser, picture, boxes) {
  canvas ??= browser.newPage();
  return (await canvas).evaluate(count, [picture.toString("base64"), boxes]);
}

async function count([picture, boxes]) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d", { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  return boxes.map(({ box, ground }) => {
    const { data } = context.getImageData(box.x, box.y, box.width, box.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) found += ground === `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`;
    return (4 * found) / data.length;
  });
}
