import { describe, expect, test } from 'vitest';
import type { UrlRecord } from '../../../../shared/core/frontier/url-record.ts';
import type { DocumentFacts } from '../../../../shared/core/parser/document.ts';
import { ChangeWatch, changedShareOf } from '../../../../shared/crawler/turn/recrawl/change-watch.ts';

const facts = (...blocks: number[]) => ({ blocks: { blocks } }) as unknown as DocumentFacts;
const page = (more: Partial<UrlRecord> = {}) => ({ state: 'fetched', ...more }) as UrlRecord;
const ofBytes = (...digest: number[]) =>
  page({ result: { fetchedAt: 0, digest: new Uint8Array(digest) } as never });
const withText = (textDigest: Uint8Array | undefined, bytes: number) =>
  ({ ...ofBytes(bytes), recrawl: { textDigest } }) as UrlRecord;

describe('whether a page has changed', () => {
  const watch = new ChangeWatch(undefined);
  const one = watch.digestOf(facts(1, 2, 3));
  const other = watch.digestOf(facts(1, 2, 4));

  test('is decided by its text if both have one, whatever the bytes', () => {
    expect(one).toHaveLength(8);
    expect(watch.hasChanged(withText(one, 1), ofBytes(2), one)).toBe(false);
    expect(watch.hasChanged(withText(one, 1), ofBytes(1), other)).toBe(true);
  });

  test('otherwise by its bytes', () => {
    for (const text of [undefined, one])
      for (const [bytes, expected] of [
        [1, false],
        [2, true],
      ] as const)
        expect(watch.hasChanged(withText(text ? undefined : one, 1), ofBytes(bytes), text)).toBe(expected);
    expect(watch.hasChanged(page(), ofBytes(1), undefined)).toBe(true);
    expect(watch.hasChanged(ofBytes(1), page(), undefined)).toBe(true);
  });

  test('is certain if its state is another', () => {
    expect(watch.hasChanged(withText(one, 1), { ...ofBytes(1), state: 'gone' }, one)).toBe(true);
  });

  test.each([
    ['text/html', 'text/markdown', false],
    ['text/markdown', 'application/xhtml+xml', false],
    ['text/markdown', 'text/x-markdown', true],
    ['text/markdown', 'text/plain', true],
    ['text/html', 'application/xhtml+xml', true],
  ])('is not seen between HTML and Markdown: %s, then %s', (before, after, expected) => {
    const of = (contentType: string, byte: number) =>
      page({ result: { fetchedAt: 0, contentType, digest: new Uint8Array([byte]) } as never });
    expect(watch.hasChanged(of(before, 1), of(after, 2), undefined)).toBe(expected);
    const gone: UrlRecord = { ...of(after, 2), state: 'gone' };
    expect(watch.hasChanged(of(before, 1), gone, undefined)).toBe(true);
  });

  test('is unknown of a page without text', () => {
    for (const none of [undefined, {} as DocumentFacts, facts()])
      expect(watch.digestOf(none)).toBeUndefined();
  });
});

test('blocks that repeat on other pages do not count, also in later turns; a page counts once', () => {
  const first = new ChangeWatch(undefined);
  first.count('http://a.test/0', undefined);
  for (let i = 0; i < 40; i++) first.count('http://a.test/same', facts(7));
  for (let i = 0; i < 40; i++) first.count(`http://a.test/${i}`, facts(9, 100 + i));
  const watch = new ChangeWatch(first.state());
  const changed = (a: readonly number[], b: readonly number[]) =>
    watch.hasChanged(withText(watch.digestOf(facts(...a)), 1), ofBytes(2), watch.digestOf(facts(...b)));
  expect(changed([9, 5], [5])).toBe(false);
  expect(changed([7, 5], [5])).toBe(true);
  expect(changed([9, 5], [9, 6])).toBe(true);
});

test('the share of a text that has changed is given to the nearest hundredth, one at least', () => {
  const sketch = new Uint8Array(16);
  /** A sketch of which this number of its 64 bins, of two bits each, are others. */
  const differing = (bins: number) => {
    const changed = new Uint8Array(16);
    for (let bin = 0; bin < bins; bin++) changed[bin >> 2]! |= 1 << (2 * (bin & 3));
    return changed;
  };
  // A bin of four is the same by chance: 48 bins that differ are another text.
  const shares = [0, 1, 7, 11, 24, 48, 64].map((bins) => changedShareOf(sketch, differing(bins)));
  expect(shares).toEqual([0.01, 0.02, 0.15, 0.23, 0.5, 1, 1]);
  expect([changedShareOf(undefined, sketch), changedShareOf(sketch, undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});
