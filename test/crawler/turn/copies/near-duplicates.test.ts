import { describe, expect, test } from 'vitest';
import { MAX_LEVEL } from '../../../../shared/core/frontier/rank.ts';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { createHtmlLinks } from '../../../../shared/core/parser/html-links.ts';
import { NearDuplicates } from '../../../../shared/crawler/turn/copies/near-duplicates.ts';
import { crawlOfTurn, ORIGIN, PLAIN_FACTS, recordOf } from '../turn-fakes.ts';

const MENU = `<nav><p>${'all that this shop has to offer its guests and friends '.repeat(10)}</p></nav>`;

/** 150 words, other ones for each number. */
function textOf(n: number): string {
  let state = n + 1;
  const word = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(97 + (state >>> 28), 97 + ((state >>> 20) & 15), 97 + ((state >>> 12) & 15));
  };
  return Array.from({ length: 150 }, word).join(' ');
}

function factsOf(main: string): DocumentFacts {
  const parser = createHtmlLinks({ url: ORIGIN, contentType: 'text/html', maxLinks: 0, wantsBlocks: true });
  parser.write(Buffer.from(`${MENU}<main>${main}</main>`));
  return { ...PLAIN_FACTS, isWhole: true, blocks: parser.end().blocks } as DocumentFacts;
}

type Mode = 'mark' | 'skip' | 'off';
const inFound = { depth: 1, via: `${ORIGIN}/` } as const;
const open = (nearDuplicates: Mode = 'mark') =>
  new NearDuplicates(crawlOfTurn({ config: { nearDuplicates } }) as never);

/** Visits pages in order, and returns what is said of each. */
function visit(
  watch: NearDuplicates,
  pages: readonly [path: string, main: string, more?: Partial<UrlRecord>][],
) {
  return pages.map(([path, main, more]) => {
    const record = recordOf(ORIGIN + path, { ...inFound, ...more });
    const facts = factsOf(main);
    const cause = watch.causeOf(record, facts);
    watch.remember({ ...record, state: 'fetched', result: { fetchedAt: 1, httpStatus: 200, cause } }, facts);
    return cause;
  });
}
const FIRST = [1, 2, 3, 4].map((n) => [`/item/${n}`, `<p>${textOf(n)}</p>`] as [string, string]);

test('a page is a copy of the one that it is most alike, whatever its numbers and dates', () => {
  const main = `<p>${textOf(2)}</p><p>Seen on 3 May 2026 for 19.99</p>`;
  const found = visit(open(), [...FIRST, ['/item/5', main]]);
  expect(found.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(found[4]).toMatchObject({ code: 'nearDuplicate', of: `${ORIGIN}/item/2` });
  expect(found[4]!.similarity).toBeGreaterThanOrEqual(0.8);
  expect(found[4]).not.toHaveProperty('isSkipped');
  expect(visit(open('skip'), [...FIRST, ['/item/5', main]])[4]).toMatchObject({ isSkipped: true });
  expect(visit(open('off'), [...FIRST, ['/item/5', main]])[4]).toBeUndefined();
});

test('how alike the pages are is given to the nearest hundredth', () => {
  // 150 words that both have, and a sentence of six that the other one lacks: 0.9577.
  const main = `<p>${textOf(2)}</p><p>these six words are not there</p>`;
  expect(visit(open(), [...FIRST, ['/item/5', main]])[4]?.similarity).toBe(0.96);
});

test('however many copies come, each is one, and of the page that came first', () => {
  const copies = Array.from({ length: 60 }, (_, n) => [`/item/${n + 5}`, FIRST[0]![1]] as [string, string]);
  const found = visit(open(), [...FIRST, ...copies]).slice(4);
  expect(found.map((cause) => cause?.of)).toEqual(copies.map(() => `${ORIGIN}/item/1`));
});

describe('no copy is', () => {
  test.each<[string, [string, string, Partial<UrlRecord>?]]>([
    ['a page with another text in the same frame', ['/item/9', `<p>${textOf(9)}</p>`]],
    ['a page of another template', ['/other/9', `<p>${textOf(1)}</p>`]],
    ['a seed', ['/item/9', `<p>${textOf(1)}</p>`, { depth: 0, via: undefined, level: MAX_LEVEL }]],
    ['a page that was fetched before', ['/item/9', `<p>${textOf(1)}</p>`, { state: 'fetched', dueAt: 5 }]],
    ['a part of a page', ['/item/9', `<p>${textOf(1)}</p>`, { kind: 'requisite' }]],
    ['a page with hardly a text of its own', ['/item/9', '<p>This item is sold</p>']],
  ])('%s', (_, page) => {
    const stub: [string, string] = ['/item/8', '<p>This item is sold</p>'];
    expect(visit(open(), [...FIRST, stub, page])[5]).toBeUndefined();
  });

  test('a page of a shell that scripts fill: nothing is its own', () => {
    const shell = Array.from(
      { length: 9 },
      (_, n) => [`/app/${n}`, '<div id="root"></div>'] as [string, string],
    );
    expect(visit(open(), shell)).toEqual(shell.map(() => undefined));
  });

  test('a page whose like is kept from hooks itself', () => {
    const watch = open();
    visit(watch, FIRST);
    const facts = factsOf(`<p>${textOf(7)}</p>`);
    const settled = { fetchedAt: 1, httpStatus: 200 };
    for (const result of [
      { ...settled, cause: { code: 'noindex' } as const },
      { ...settled, duplicateOf: ORIGIN },
    ])
      watch.remember(recordOf(`${ORIGIN}/item/7`, { ...inFound, state: 'fetched', result }), facts);
    expect(watch.causeOf(recordOf(`${ORIGIN}/item/8`, inFound), facts)).toBeUndefined();
  });
});
