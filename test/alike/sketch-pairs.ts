/**
 * Prints `labelled-pairs.tsv` with the sketches of one site made again, from its pages in a folder: for a change of what
 * sketches are made of. The labels stay.
 *
 *     node test/alike/sketch-pairs.ts SITE FOLDER
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commonBlocks } from '../../shared/alike/common-blocks.ts';
import { ownSketch } from '../../shared/alike/own-sketch.ts';
import type { HashedBlocks } from '../../shared/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../shared/parser/html-links.ts';
import { formatPair, readPairs, readSample } from './labelled-pairs.ts';

function blocksOf(folder: string, path: string): HashedBlocks {
  const options = { url: 'http://a.test/', contentType: 'text/html; charset=utf-8', maxLinks: 0 };
  const parser = createHtmlLinks({ ...options, wantsBlocks: true });
  parser.write(readFileSync(join(folder, path)));
  return parser.end().blocks as HashedBlocks;
}

const [site = '', folder = ''] = process.argv.slice(2);
const common = commonBlocks(readSample(site).map((path) => blocksOf(folder, path)));
const sketchOf = (path: string) => ownSketch(blocksOf(folder, path), common);
for (const pair of readPairs())
  console.log(
    formatPair(pair.site === site ? { ...pair, sketches: [sketchOf(pair.a), sketchOf(pair.b)] } : pair),
  );
