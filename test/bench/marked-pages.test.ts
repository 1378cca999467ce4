import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { markedPages, wordF1 } from '../../bench/claims/extractors/marked-pages.ts';

test.each([
  ['', '', 1],
  ['a', '', 0],
  ['', 'a', 0],
  ['The quay, the ship', 'the quay the ship', 1],
  ['ship quay', 'quay ship', 1],
  ['a a a', 'a', 0.5],
  ['a b', 'b c', 0.5],
  ['Ärger_1 über', 'ärger_1', 2 / 3],
])('the words of %j agree with those of %j by %f', (found, marked, f1) => {
  expect(wordF1(found, marked)).toBeCloseTo(f1, 9);
});

test('pages are read with their kind, in each form that it has', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strand-marked-'));
  try {
    for (const name of ['html', 'ground-truth']) mkdirSync(join(folder, name));
    const types = [undefined, 'forum', { primary: 'category' }];
    for (const [i, page_type] of types.entries()) {
      const truth = { ground_truth: { main_content: `m${i}` }, _internal: { page_type } };
      writeFileSync(join(folder, 'ground-truth', `${i}.json`), JSON.stringify(truth));
      writeFileSync(join(folder, 'html', `${i}.html.gz`), gzipSync(`<p>${i}`));
    }
    expect([...markedPages(folder)].map(({ kind, html, marked }) => [kind, String(html), marked])).toEqual([
      ['article', '<p>0', 'm0'],
      ['forum', '<p>1', 'm1'],
      ['collection', '<p>2', 'm2'],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
