/** The stack as it is deployed, and one crawl of it. `stack.slow.test.ts` has all else that a stack does. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import type { CrawlSummary } from '../../shared/services/report/summary.ts';
import { PLAIN } from '../web/features.ts';
import { type Deployed, deploy, printErrors } from './deployed.ts';
import { hasEmulator } from './resources.ts';
import { configFor, expectLedgers, expectLog, serve, untilSettled } from './stack-crawl.ts';

describe.skipIf(!hasEmulator())('a deployed stack', () => {
  let deployed: Deployed;
  beforeAll(async () => {
    deployed = await deploy();
  });
  afterAll(() => deployed?.destroy());
  beforeEach(() => onTestFailed(() => printErrors(deployed)));

  test('crawls six hosts from a POST to their closure: each URL once, no host hurried', async () => {
    const features = { ...PLAIN, redirects: true, duplicates: true };
    const web = await serve('127.77.0.5', { seed: 47, hosts: 6, pagesPerHost: 12, features });
    try {
      const { status, body } = await deployed.call<CrawlSummary>('POST', '/crawls', {
        crawl: 'one',
        seeds: web.seeds,
        config: configFor(web),
      });
      expect([status, body]).toMatchObject([201, { crawl: 'one', state: 'running' }]);
      await untilSettled(deployed, 'one', web.seeds.length);
      const known = await expectLedgers(deployed, 'one', expectLog(web));
      expect(known.size).toBe(6);
      expect(await deployed.deadLetters()).toEqual([]);
    } finally {
      await web.stop();
    }
  });
});
