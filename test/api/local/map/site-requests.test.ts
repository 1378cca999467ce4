/** The pace of the requests of a map, on time that the test owns. */
import { expect, test } from 'vitest';
import { SiteRequests } from '../../../../api/local/map/site-requests.ts';
import { type CrawlOptions, parseConfig } from '../../../../shared/core/crawl/config.ts';
import type { FetchOutcome } from '../../../../shared/core/outcome/fetch-outcome.ts';

const TOOK_MS = 100;

function requestsWith(options: CrawlOptions, statusOf: (url: string) => number = () => 200) {
  let now = Date.parse('2026-11-02T12:00:00Z');
  const begun = now;
  const log: string[] = [];
  const body = { size: 0, sha1: new Uint8Array(20), dispose: async () => {} };
  const requests = new SiteRequests({
    config: parseConfig(options),
    clock: {
      now: () => now,
      random: () => 0.5,
      sleep: async (ms) => {
        now += Math.max(0, ms);
      },
    },
    fetcher: {
      async fetch({ url }) {
        log.push(`${now - begun} ${url}`);
        const startedAt = now;
        now += TOOK_MS;
        const httpStatus = statusOf(url);
        const headers = httpStatus === 429 ? [['Retry-After', '7200']] : [];
        return {
          status: 'response',
          url,
          startedAt,
          endedAt: now,
          httpStatus,
          headers,
          body,
        } as unknown as FetchOutcome;
      },
    },
  });
  return { requests, log };
}

const A = 'https://a.example/';
const B = 'https://b.example/';

test('each host keeps its own pause, and the longer one that robots.txt asks for', async () => {
  const { requests, log } = requestsWith({ delayMs: 1000, adaptive: false });
  await requests.exchange({ url: A });
  requests.setCrawlDelay('a.example', 5000);
  await requests.exchange({ url: B });
  await requests.exchange({ url: B });
  await requests.exchange({ url: A });
  expect(log).toEqual([`0 ${A}`, `100 ${B}`, `1200 ${B}`, `5100 ${A}`]);
});

test('a host that fails rests, longer each time, and is given up as in a crawl', async () => {
  const { requests, log } = requestsWith({ delayMs: 0, adaptive: false, maxHostFailures: 3 }, () => 503);
  for (let i = 0; i < 3; i++) await requests.exchange({ url: A });
  await expect(requests.exchange({ url: A })).rejects.toThrow(
    'https://a.example/ was not requested: its host rests after a failure (HTTP 503)',
  );
  expect(log).toEqual([`0 ${A}`, `5100 ${A}`, `15200 ${A}`]);
});

test('a host that wants a long rest is not waited for', async () => {
  const { requests, log } = requestsWith({}, () => 429);
  await requests.exchange({ url: A });
  await expect(requests.exchange({ url: A })).rejects.toMatchObject({ name: 'PageNotRead' });
  expect(log).toEqual([`0 ${A}`]);
});

test('outside of its hours a host is not requested', async () => {
  const { requests, log } = requestsWith({ overrides: [{ hosts: ['a.example'], hours: '22:00-06:00' }] });
  await expect(requests.exchange({ url: A })).rejects.toThrow(/its hours are 22:00-06:00/);
  expect(log).toEqual([]);
});
