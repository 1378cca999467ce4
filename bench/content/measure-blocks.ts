/** Writes the blocks of a folder of pages with their features, a page as one line of JSON, for `train.py`. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { blockFeatures } from '../../shared/core/content/block-features.ts';
import { textBlocks } from '../../shared/core/content/blocks.ts';
import { parseElements } from '../../shared/core/content/element-tree.ts';
import { FEATURES } from '../../shared/core/content/feature-names.ts';
import { readMetadata } from '../../shared/core/content/metadata.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Expected node bench/content/measure-blocks.ts FOLDER');

process.stdout.write(`${JSON.stringify({ features: FEATURES })}\n`);
for (const file of readdirSync(`${folder}/html`).sort()) {
  const html = gunzipSync(readFileSync(`${folder}/html/${file}`)).toString('utf8');
  const elements = parseElements(html);
  const found = textBlocks(elements[0]!);
  const data = readMetadata(elements, 'https://example.org/');
  const rows = blockFeatures(elements, found, data, (row) => Array.from(row, rounded));
  const blocks = found.map(({ text }, i) => ({ text, features: rows[i] }));
  process.stdout.write(`${JSON.stringify({ id: file.replace('.html.gz', ''), blocks })}\n`);
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
