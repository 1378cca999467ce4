/** Soft 404 on real pages (WCXB): none of them is taken for the answer of its own site to a URL under which nothing stands. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isNotFoundPage, notFoundPage } from '../../../shared/core/alike/not-found-page.ts';
import type { HashedBlocks } from '../../../shared/core/parser/hashed-blocks.ts';
import { blocksOf } from './blocks-of.ts';

const FOLDER = join(import.meta.dirname, '../../../../shared/content/wcxb-dev');
const URL = 'https://example.org/a/harbour-of-hamburg';
const NOWHERE = 'https://example.org/a/qwertzuiopasdf';

const TEXTS = [
  '<h1>Page not found</h1><p>We are sorry: the page that you are looking for does not exist any more.</p>',
  '<h1>404</h1><p>Diese Seite wurde leider nicht gefunden. Bitte versuchen Sie die Suche.</p>',
  '<h1>Oops!</h1><p>Nothing was found at this location. Maybe try one of the links below or a search?</p>',
].map((html) => blocksOf(html));

/** The blocks of the page at its top and its bottom, which stand for its frame, around those of another text. */
function framed({ blocks, words, ends }: HashedBlocks, text: HashedBlocks): HashedBlocks {
  const [top, bottom] = [Math.ceil(blocks.length / 5), Math.ceil((4 * blocks.length) / 5)];
  const parts = [
    { blocks: blocks.subarray(0, top), words: words.subarray(0, ends[top - 1]), ends: ends.subarray(0, top) },
    text,
    {
      blocks: blocks.subarray(bottom),
      words: words.subarray(ends[bottom - 1]!),
      ends: ends.subarray(bottom).map((end) => end - ends[bottom - 1]!),
    },
  ];
  const before = [0, parts[0]!.words.length, parts[0]!.words.length + text.words.length];
  return {
    blocks: Int32Array.from(parts.flatMap((part) => [...part.blocks])),
    words: Int32Array.from(parts.flatMap((part) => [...part.words])),
    ends: Uint32Array.from(parts.flatMap((part, i) => [...part.ends].map((end) => end + before[i]!))),
  };
}

describe.skipIf(!existsSync(FOLDER))('of 599 real pages', () => {
  const pages = readdirSync(join(FOLDER, 'html'))
    .map((file) => blocksOf(gunzipSync(readFileSync(join(FOLDER, 'html', file)))))
    .filter(({ blocks }) => blocks.length >= 10);

  test('none is taken for its own site\'s answer "not found", which is recognized at other URLs', () => {
    expect(pages.length).toBeGreaterThan(500);
    let [usable, found] = [0, 0];
    for (const page of pages)
      for (const text of TEXTS) {
        const answer = framed(page, text);
        const known = notFoundPage(answer, NOWHERE, [page]);
        if (!known) continue;
        usable++;
        expect(isNotFoundPage(page, URL, known)).toBe(false);
        if (isNotFoundPage(answer, URL, known)) found++;
      }
    expect(usable).toBeGreaterThan(0.95 * pages.length * TEXTS.length);
    expect(found).toBe(usable);
  });

  test("none is taken for another site's answer", () => {
    for (const text of TEXTS) {
      const known = notFoundPage(text, NOWHERE, [])!;
      for (const page of pages) expect(isNotFoundPage(page, URL, known)).toBe(false);
    }
  });
});
