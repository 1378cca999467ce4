import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { checkLog } from '../web/check.ts';
import { PLAIN } from '../web/features.ts';
import { generateWeb, type WebOptions } from '../web/graph.ts';
import { type RunningWeb, startWeb } from '../web/server.ts';
import { closure, type Truth } from '../web/truth.ts';
import { crawlWeb, recordsOf, temporaryFolder } from './local-crawl.ts';

let place: ReturnType<typeof temporaryFolder>;
let running: RunningWeb;

async function serve(options: WebOptions): Promise<RunningWeb> {
  running = await startWeb(generateWeb(options), { latencyMs: 1 });
  return running;
}

/** Each URL of the truth in its state, and no other URL. */
async function expectStates(truth: Truth): Promise<void> {
  const { records, setAside } = await recordsOf(place.folder);
  for (const [url, { state, orState, minRequests }] of truth.urls) {
    if (minRequests === 0 && state !== 'deniedByRobots') continue;
    const found = records.get(url)?.state;
    // Where robots.txt cannot be fetched nothing may be fetched: the host is set aside, its URLs still wait.
    const isClosed = setAside.get(hostKey(url))?.startsWith('robots.txt: ');
    if (isClosed && state === 'deniedByRobots' && found === 'waiting') continue;
    // A refresh at once is a redirect.
    const isRefresh = running.web.at(url)?.references.some(({ how }) => how === 'refresh');
    if (isRefresh && state === 'fetched' && found === 'redirect') continue;
    expect([url, found]).toEqual([url, found === orState ? orState : state]);
  }
  for (const url of records.keys()) if (!truth.outside.has(url)) expect(truth.urls.has(url), url).toBe(true);
}

/** The checks of a crawl of the generated web by this number of workers. */
export function generatedWebSuite(workers: number): void {
  beforeEach(() => {
    place = temporaryFolder();
  });
  afterEach(async () => {
    await running.stop();
    place.remove();
  });

  test('with everything that a web may do to a crawler: each URL fetched once, none forbidden, no host hurried', async () => {
    const { web, seeds, log } = await serve({
      seed: 21,
      hosts: 12,
      pagesPerHost: 12,
      features: { neverAnswers: false },
    });
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    const options = { delayMs: 3, scope: 'host', maxTimeMs: 240_000 } as const;
    const end = await crawlWeb(place.folder, running, options, seeds, { workers });
    expect(checkLog(web, log, { truth, delayMs: 3, toleranceMs: 3 })).toEqual([]);
    await expectStates(truth);
    expect(end.status).toMatch(/finished|limited/);
  });

  test('over 40 hosts from one seed finds them all', async () => {
    const { web, log, seeds } = await serve({
      seed: 22,
      hosts: 40,
      pagesPerHost: 10,
      features: { ...PLAIN, robots: false, redirects: true, duplicates: true, spellings: true },
    });
    const from = seeds.slice(0, 1);
    const truth = closure(web, { seeds: from, scope: 'any', robotsAgent: 'Strand' });
    const options: CrawlOptions = { scope: 'any', exclude: ['outside\\.example'] };
    const end = await crawlWeb(place.folder, running, options, from, { workers });
    expect(end.status).toBe('finished');
    expect(checkLog(web, log, { truth, toleranceMs: 3 })).toEqual([]);
    await expectStates(truth);
  });
}
