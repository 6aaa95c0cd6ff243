// Which versions of the corpus are compared?

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/// Pairs of successive versions of HTML documents, `perFamily` of every family that has a history, spread over its documents
/// and their versions: always the same ones.
export function pairs(corpus, perFamily) {
  if (!existsSync(corpus)) return [];
  return folders(corpus).flatMap((family) => spread(successive(corpus, family), perFamily));
}

function successive(corpus, family) {
  const documents = folders(join(corpus, family));
  return documents.flatMap((document) => {
    const folder = join(corpus, family, document);
    const versions = readdirSync(folder).filter((name) => /\.html?$/.test(name)).sort();
    return versions.slice(1).map((version, index) => ({
      name: `${family}/${document}/${version.slice(0, 3)}`,
      family,
      before: join(folder, versions[index]),
      after: join(folder, version),
    }));
  });
}

function folders(place) {
  const entries = readdirSync(place, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
}

// Steps of the golden ratio: far from each other, and not all at the same version of their documents.
function spread(all, count) {
  if (all.length <= count) return all;
  return Array.from({ length: count }, (_, index) => all[Math.floor(((index * 0.618 + 0.3) % 1) * all.length)]);
}
