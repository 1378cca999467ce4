import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCrawl, resumeCrawl, startCrawl } from '../../api/index.ts';
import { QUICK } from '../local-crawl/local-crawl.ts';
import { rowOfPages, type SmallSite, startSite } from '../local-crawl/small-site.ts';

let folder: string;
let sites: SmallSite[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'strand-state-'));
  sites = await Promise.all(
    ['127.78.0.62', '127.78.0.63', '127.78.0.64'].map((address) => startSite(rowOfPages(8), { address })),
  );
});
afterAll(async () => {
  for (const site of sites) await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const seeds = () => sites.map(({ url }) => `${url}/`);

test('the state of a crawl is kept when it is resumed, and onFinish and readers get it', async () => {
  const out = join(folder, 'resumed');
  const finished: unknown[] = [];
  const hooks = {
    onPage: ({ state }: { state: { update(key: string, change: (n?: number) => number): number } }) => {
      state.update('pages', (n = 0) => n + 1);
    },
    onFinish: (_: unknown, { state }: { state: { get(key: string): unknown } }) => {
      finished.push(state.get('pages'));
    },
  };
  await (await startCrawl({ ...QUICK, seeds: seeds(), out, maxPages: 7, ...hooks })).done;
  const before = finished[0] as number;
  expect(before).toBeGreaterThan(0);
  await (await resumeCrawl(out, { maxPages: 1000, ...hooks })).done;
  expect(finished).toEqual([before, 24]);
  await using crawl = await openCrawl(out);
  expect(await crawl.state()).toEqual(new Map([['pages', 24]]));
});

test('threads share it, and lose no update', async () => {
  const out = join(folder, 'threads');
  const project = join(folder, 'strand.config.ts');
  writeFileSync(
    project,
    `export default { onPage({ state, url }) {
      state.update('pages', (n = 0) => n + 1);
      state.update('hosts', (hosts = []) => [...new Set([...hosts, new URL(url).hostname])].sort());
    } };`,
  );
  await (await startCrawl({ ...QUICK, seeds: seeds(), out, project, workers: 3 })).done;
  await using crawl = await openCrawl(out);
  expect(await crawl.state()).toEqual(
    new Map<string, unknown>([
      ['hosts', ['127.78.0.62', '127.78.0.63', '127.78.0.64'].map((host) => host)],
      ['pages', 24],
    ]),
  );
});

test('two crawls in one process have each its own', async () => {
  const started = seeds().map((seed, n) =>
    startCrawl({
      ...QUICK,
      seeds: [seed],
      out: join(folder, `own-${n}`),
      onPage: ({ state, url }) => void state.update<string[]>('urls', (urls = []) => [...urls, url]),
    }),
  );
  for (const crawl of await Promise.all(started)) await crawl.done;
  for (const [n, seed] of seeds().entries()) {
    await using crawl = await openCrawl(join(folder, `own-${n}`));
    const urls = (await crawl.state()).get('urls') as string[];
    expect(urls.length).toBe(8);
    expect(urls.every((url) => url.startsWith(seed))).toBe(true);
  }
});

test('a misuse is an error of the hook, with its place, and ends nothing', async () => {
  const out = join(folder, 'misuse');
  const crawl = await startCrawl({
    ...QUICK,
    seeds: seeds().slice(0, 1),
    out,
    onPage({ state, url }) {
      state.set('function', () => {});
      return { url };
    },
  });
  const { hooks, hookErrors, state } = await crawl.done;
  expect(state).toBe('finished');
  expect(hooks).toMatchObject({ failed: 8 });
  expect(hookErrors[0]).toMatchObject({ source: 'onPage', message: expect.stringContaining('JSON can') });
  expect(hookErrors[0]?.stack).toContain('crawl-state.test.ts');
});

test('bad items are counted, and the summary has the first reason', async () => {
  const crawl = await startCrawl({
    ...QUICK,
    seeds: seeds().slice(0, 1),
    out: join(folder, 'schema'),
    onPage: ({ url }) => ({ url, path: new URL(url).pathname }),
    itemSchema: {
      '~standard': {
        version: 1,
        validate: (value) =>
          (value as { path: string }).path === '/3'
            ? { issues: [{ message: 'no third page', path: ['path'] }] }
            : { value },
      },
    },
  });
  const { hooks, hookErrors } = await crawl.done;
  expect(hooks).toMatchObject({ pages: 8, items: 7, failed: 1 });
  expect(hookErrors).toMatchObject([
    { source: 'item', message: expect.stringContaining('path: no third page') },
  ]);
});
