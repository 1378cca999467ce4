/** Crawls by several threads, some of which die. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CrawlOptions } from '../../../../shared/core/crawl/config.ts';
import { foldersOf, openLocalReader } from '../../../../shared/engines/local/engine.ts';
import { readProject } from '../../../../shared/services/project/project-file.ts';
import { beginCrawl } from '../../../local-crawl/begin-crawl.ts';
import { QUICK, recordsOf, temporaryFolder } from '../../../local-crawl/local-crawl.ts';
import { checkLog } from '../../../web/check.ts';
import { PLAIN } from '../../../web/features.ts';
import { generateWeb } from '../../../web/graph.ts';
import { type RunningWeb, startWeb } from '../../../web/server.ts';
import { closure } from '../../../web/truth.ts';

let place: ReturnType<typeof temporaryFolder>;
let running: RunningWeb;

beforeEach(async () => {
  place = temporaryFolder();
  const features = { ...PLAIN, redirects: true };
  running = await startWeb(generateWeb({ seed: 77, hosts: 12, pagesPerHost: 15, features }), {
    latencyMs: 2,
  });
});
afterEach(async () => {
  await running.stop();
  place.remove();
});

interface Ended {
  readonly status: string;
  /** Messages about turns that failed and threads that died. */
  readonly errors: readonly string[];
}

/** `project`: the text of a project's file. */
async function crawl(
  workers: number,
  project: string,
  options: CrawlOptions = {},
  seeds: readonly string[] = running.seeds,
): Promise<Ended> {
  const file = join(dirname(place.folder), 'strand.config.mjs');
  writeFileSync(file, project);
  const given = { ...QUICK, resolve: [['*.test', running.address]] as [string, string][], ...options };
  const session = await beginCrawl(place.folder, seeds, given, {
    software: 'test',
    workers,
    project: await readProject(file),
  });
  const errors: string[] = [];
  try {
    const { signal } = new AbortController();
    const onError = (error: unknown, where: string) => errors.push(`${where}: ${(error as Error).message}`);
    const { status } = await session.run({ signal, onError });
    return { status, errors };
  } finally {
    await session.close();
  }
}

/** Deaths of threads by one page: `docs/invariants.md` has the bound for any host. */
const MOST_DEATHS = 8;

const NO_PROJECT = 'export default {};';
const items = () =>
  readFileSync(foldersOf(place.folder).items, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string });

describe('a crawl by two threads', () => {
  test('finds out the page that kills its thread, and loses nothing else', async () => {
    const { web, log, seeds } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    const fetched = [...truth.urls].filter(([, { state }]) => state === 'fetched').map(([url]) => url);
    const poison = fetched[Math.floor(fetched.length / 2)]!;
    const { status, errors } = await crawl(
      2,
      `export default { onPage({ url }) {
        if (url === ${JSON.stringify(poison)}) { process.emit('exit', 9); process.reallyExit(9); };
        return { url };
      } };`,
    );
    expect(status).toBe('finished');
    // Three times by itself, and before that in turns with other pages, which get smaller and grow again.
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.length).toBeLessThanOrEqual(MOST_DEATHS);
    for (const line of errors) expect(line).toMatch(/^thread [12]: it died: it ended with code 9$/);
    const { records, setAside } = await recordsOf(place.folder);
    expect(setAside.size).toBe(0);
    for (const [url, { state, orState }] of truth.urls) {
      const found = records.get(url);
      if (url !== poison)
        expect([url, found?.state]).toEqual([url, found?.state === orState ? orState : state]);
      else
        expect([found?.state, found?.result?.cause]).toMatchObject([
          'failed',
          { code: 'workerDied', times: 3 },
        ]);
    }
    expect(checkLog(web, log, { truth, allowRepeats: () => true, toleranceMs: 3 })).toEqual([]);
    const expected = fetched.filter((url) => url !== poison).sort();
    expect(
      items()
        .map(({ url }) => url)
        .sort(),
    ).toEqual(expected);
    const reader = openLocalReader(place.folder)!;
    expect((await reader.registry.totals(reader.crawl()!)).urls.fetched).toBe(expected.length);
    reader.close();
  });

  test('counts an error of a hook that nobody catches, and continues', async () => {
    const { web, log, seeds } = running;
    const truth = closure(web, { seeds, scope: 'host', robotsAgent: 'Strand' });
    const mark = join(dirname(place.folder), 'thrown');
    const { status, errors } = await crawl(
      2,
      `import { existsSync, writeFileSync } from 'node:fs';
      const mark = ${JSON.stringify(mark)};
      let pages = 0;
      export default { onPage() {
        if (++pages < 20 || existsSync(mark)) return;
        writeFileSync(mark, '');
        setImmediate(() => { throw new Error('nobody catches this'); });
      } };`,
    );
    expect([status, errors]).toEqual(['finished', []]);
    const reader = openLocalReader(place.folder)!;
    expect(reader.hookErrors(reader.crawl()!)).toMatchObject([
      { source: 'onPage', message: 'nobody catches this' },
    ]);
    reader.close();
    const { records } = await recordsOf(place.folder);
    for (const [url, { state, orState }] of truth.urls) {
      const found = records.get(url)?.state;
      expect([url, found]).toEqual([url, found === orState ? orState : state]);
    }
    expect(checkLog(web, log, { truth, allowRepeats: () => true, toleranceMs: 3 })).toEqual([]);
  });

  test('ends with an error when a thread dies again and again, and makes no progress', async () => {
    const project = `import { isMainThread } from 'node:worker_threads';
      if (!isMainThread) process.reallyExit(3);
      export default {};`;
    await expect(crawl(2, project)).rejects.toThrow(
      /^thread [12] died 10 times in a row.*ended with code 3$/,
    );
  });

  test.each([2, 3])('by %i threads stops at its limit of pages exactly', async (workers) => {
    const { status, errors } = await crawl(workers, NO_PROJECT, { maxPages: 41 });
    expect([status, errors]).toEqual(['limited', []]);
    const reader = openLocalReader(place.folder)!;
    expect((await reader.registry.totals(reader.crawl()!)).pages).toBe(41);
    reader.close();
  });
});
