/** Maps of hostile sites: bounded, and nobody else is contacted. */
import { expect, onTestFinished, test } from 'vitest';
import { mapSite } from '../../api/index.ts';
import { ROBOTS_CASES } from '../../bench/claims/hostile/cases/robots.ts';
import { XML_CASES } from '../../bench/claims/hostile/cases/xml.ts';
import { HOSTILE_CIDR, startHostileWeb } from '../../bench/claims/hostile/server.ts';

const CASES = [...ROBOTS_CASES, ...XML_CASES].filter(({ isQuick }) => isQuick);
/** robots.txt with its redirects, the start, a sitemap with three levels of indexes, llms.txt; the named sitemaps of a robots.txt. */
const MOST_REQUESTS = 110;

test('hostile robots.txt files, sitemaps and feeds end, with few requests and to no other address', async () => {
  const web = await startHostileWeb(CASES);
  onTestFinished(() => web.stop());
  for (const one of CASES) {
    const { origin } = web.addressesOf(one);
    let urls = 0;
    try {
      const asked = mapSite(`${origin}/`, {
        allowPrivateAddresses: [HOSTILE_CIDR],
        delayMs: 0,
        adaptive: false,
        maxCrawlDelayMs: 0,
        backoffMs: 1,
        maxBackoffMs: 1,
      });
      for await (const { url } of asked) {
        expect(url.startsWith(`${origin}/`), `${one.name}: ${url}`).toBe(true);
        urls++;
      }
    } catch (error) {
      expect((error as Error).name, one.name).toBe('PageNotRead');
    }
    expect(urls, one.name).toBeLessThan(1000);
    const requests = web.requests.get(one)!;
    expect(requests.length, `${one.name}: ${requests.slice(0, 5).join(' ')}`).toBeLessThanOrEqual(
      MOST_REQUESTS,
    );
  }
  expect(web.canaryContacts).toEqual([]);
}, 120_000);
