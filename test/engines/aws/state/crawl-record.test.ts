import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../shared/core/crawl/config.ts';
import { MAX_DOMAIN_BUDGETS } from '../../../../shared/core/crawl/settings/limit-settings.ts';
import { type CrawlRecord, CrawlTooLarge } from '../../../../shared/crawler/ports/crawl-registry.ts';
import { decodeCrawl, encodeCrawl } from '../../../../shared/engines/aws/state/crawl-record.ts';
import { seededRandom } from '../../../crawler/worker/fake-clock.ts';

const recordOf = (seeds: number): CrawlRecord => ({
  config: {},
  scopeSeeds: Array.from(
    { length: seeds },
    (_, i) => `https://${(i * 2_654_435_761) % 4_294_967_296}.example/`,
  ),
  urlRulesVersion: 1,
  status: 'running',
});

test('a crawl around 15,000 URLs comes back as it was stored', () => {
  const stored = { record: recordOf(15_000), version: 3, activeMs: 5 };
  expect(decodeCrawl(encodeCrawl(stored))).toEqual(stored);
});

test('a crawl around 200,000 URLs is refused, with its size and the limit', () => {
  const encode = () => encodeCrawl({ record: recordOf(200_000), version: 1, activeMs: 0 });
  expect(encode).toThrow(CrawlTooLarge);
  expect(encode).toThrow(/200000 URLs .* at most 390 KB fit/);
});

test('a crawl with as many budgets of domains as are allowed fits', () => {
  const nameOf = (i: number) => createHash('sha256').update(`${i}`).digest('hex').slice(0, 40);
  const domainBudgets = Object.fromEntries(
    Array.from({ length: MAX_DOMAIN_BUDGETS }, (_, i) => [`${nameOf(i)}.example`, 100_000 + i]),
  );
  const stored = {
    record: { ...recordOf(0), config: parseConfig({ scope: 'any', domainBudgets }) },
    version: 1,
    activeMs: 0,
  };
  expect(decodeCrawl(encodeCrawl(stored))).toEqual(stored);
});

test('a crawl that is a few bytes too large is refused with a size above the limit', () => {
  const random = seededRandom(1);
  const text = Buffer.from(Array.from({ length: 420_000 }, () => random() * 256)).toString('base64url');
  const refusal = (length: number): string | undefined => {
    const record = { ...recordOf(0), scopeSeeds: [`https://a.example/${text.slice(0, length)}`] };
    try {
      encodeCrawl({ record, version: 1, activeMs: 0 });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  let [fits, tooLarge] = [0, text.length];
  while (tooLarge - fits > 8) {
    const middle = Math.floor((fits + tooLarge) / 2);
    if (refusal(middle) === undefined) fits = middle;
    else tooLarge = middle;
  }
  expect(refusal(fits)).toBeUndefined();
  expect(refusal(tooLarge)).toContain('391 KB compressed; at most 390 KB fit');
});
