// Which colours has a part of a screenshot?

let canvas; // a page that decodes pictures

/// The colours of a box and their shares of it, as `rgb(…)`.
export async function colours(browser, picture, box) {
  canvas ??= browser.newPage();
  return (await canvas).evaluate(count, [picture.toString("base64"), box]);
}

async function count([picture, { x, y, width, height }]) {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(image, -x, -y);
  const { data } = context.getImageData(0, 0, width, height);
  const shares = {};
  for (let at = 0; at < data.length; at += 4) {
    const colour = `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`;
    shares[colour] = (shares[colour] ?? 0) + 4 / data.length;
  }
  return shares;
}
