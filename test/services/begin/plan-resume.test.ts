import { expect, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/invalid-config.ts';
import { URL_RULES_VERSION } from '../../../shared/core/url/canonical.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import { planResume, storeResume } from '../../../shared/services/begin/plan-resume.ts';
import { planSeeds } from '../../../shared/services/begin/plan-seeds.ts';

const record: CrawlRecord = {
  config: { contact: 'me@example.org', maxPages: 5, recrawl: 'freshness', recrawlEveryMs: 3_600_000 },
  scopeSeeds: ['http://a.test/'],
  urlRulesVersion: URL_RULES_VERSION,
  status: 'limited',
};

/** The calls to a registry that store the plan of a resume. */
async function stored(plan: Parameters<typeof storeResume>[1]): Promise<unknown[]> {
  const calls: unknown[] = [];
  await storeResume(
    {
      configure: async (...given) => void calls.push(given),
      setUrlRulesVersion: async (...given) => void calls.push(given),
    },
    plan,
  );
  return calls;
}

test('a crawl continues with the settings that change, and with all others as they were', async () => {
  const plan = planResume('c', record, { maxPages: 9 });
  expect(plan).toMatchObject({ config: { maxPages: 9, recrawlEveryMs: 3_600_000 }, hasNewRules: false });
  expect(await stored(plan)).toEqual([['c', { maxPages: 9 }]]);
  expect(await stored(planResume('c', record, {}))).toEqual([]);
});

test('a schedule takes the place of an interval', () => {
  const { config } = planResume('c', record, { recrawlSchedule: '0 3 * * *' });
  expect(config).toMatchObject({ recrawlSchedule: '0 3 * * *', recrawlEveryMs: undefined });
});

test('a crawl of other URL rules has those of this version from then on', async () => {
  const plan = planResume('c', { ...record, urlRulesVersion: 0 }, {});
  expect(plan.hasNewRules).toBe(true);
  expect(await stored(plan)).toEqual([['c', URL_RULES_VERSION]]);
});

test('a setting that cannot be is refused', () => {
  expect(() => planResume('c', record, { maxPages: -1 })).toThrow(InvalidConfig);
});

test('further seeds widen the scope where they are beyond it, and are refused if none is left', () => {
  const config = planResume('c', record, {}).config;
  const seeds = ['http://a.test/1', 'b.test', 'x:y'];
  expect(planSeeds(seeds, record, { ...config, scope: 'host' })).toMatchObject({
    accepted: ['http://a.test/1', 'https://b.test/'],
    refused: [{ url: 'x:y', index: 2 }],
    widening: ['https://b.test/'],
  });
  expect(() => planSeeds(['x:y'], record, config)).toThrow('seeds.0 cannot be a seed');
});
