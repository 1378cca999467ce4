/**
 * Makes `labelled-texts.br` again from the pages of the three sites in folders: for a change of what texts are made of. The labels
 * stay.
 *
 *     node test/core/alike/write-texts.ts rust=FOLDER handbook=FOLDER openjdk=FOLDER
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { commonBlocks } from '../../../shared/core/alike/common-blocks.ts';
import { MIN_WORDS_READ, ownSketch } from '../../../shared/core/alike/own-sketch.ts';
import { encodeOwnText, ownText } from '../../../shared/core/alike/own-text.ts';
import type { HashedBlocks } from '../../../shared/core/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../../shared/core/parser/html-links.ts';
import { readPairs, readSample, TEXTS, type TextEntry } from './labelled-pairs.ts';

function blocksOf(folder: string, path: string): HashedBlocks {
  const options = { url: 'http://a.test/', contentType: 'text/html; charset=utf-8', maxLinks: 0 };
  const parser = createHtmlLinks({ ...options, wantsBlocks: 'named' });
  parser.write(readFileSync(join(folder, path)));
  return parser.end().blocks as HashedBlocks;
}

const entries: TextEntry[] = [];
const parts: Uint8Array[] = [];
for (const argument of process.argv.slice(2)) {
  const [site = '', folder = ''] = argument.split('=');
  const common = commonBlocks(readSample(site).map((path) => blocksOf(folder, path)));
  const pairs = readPairs().filter((pair) => pair.site === site);
  for (const path of new Set(pairs.flatMap(({ a, b }) => [a, b]))) {
    const page = blocksOf(folder, path);
    const sketch = ownSketch(page, common, MIN_WORDS_READ) ?? new Uint8Array(0);
    const text = encodeOwnText(ownText(page, common));
    parts.push(sketch, text);
    entries.push({ site, path, bytes: sketch.length + text.length, hasSketch: sketch.length > 0 });
  }
}
const head = `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n\n`;
writeFileSync(
  TEXTS,
  brotliCompressSync(Buffer.concat([Buffer.from(head), ...parts]), {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24 },
  }),
);
