/** A site behind a login whose pages the stack's function renders: which secrets its messages hold. */
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { createFetcher } from '../../shared/crawler/fetcher/fetcher.ts';
import { createRoundRenderer } from '../../shared/crawler/renderer/rounds/round-renderer.ts';
import { createRendering } from '../../shared/crawler/turn/render/rendering.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { createAccounts } from '../../shared/services/accounts/create-accounts.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { begin, CRAWL, startProcess, statesOf } from '../crawler/worker/world.ts';
import { needs } from '../needs.ts';
import { drawnReader } from '../web/members/drawn-reader.ts';
import { DRAWN_PAGES, startDrawnMembers } from '../web/members/drawn-site.ts';
import { openRendererFunction } from './renderer-function.ts';

const FETCHER = {
  userAgent: 'Strand/0.1',
  ...{ allowPrivateAddresses: ['127.0.0.0/8'], resolve: [], allowPorts: [] },
  ...{ connectTimeoutMs: 5000, headersTimeoutMs: 5000, idleTimeoutMs: 5000, totalTimeoutMs: 10_000 },
  ...{ maxBodyBytes: 30_000_000, maxHeaderBytes: 100_000, perHost: 6 },
  ...{ clock: systemClock, tempFolder: tmpdir() },
};

needs('lambdaBrowser')(
  'the function gets the cookies that a page needs, and no other secret: no password, no form, no ended session',
  async () => {
    const site = await startDrawnMembers('127.78.0.72');
    onTestFinished(site.close);
    const fn = await openRendererFunction();
    onTestFinished(fn.close);
    const messages: string[] = [];
    const ask = (message: string) => {
      messages.push(message);
      return fn.invoke(message);
    };
    const engine = createMemoryEngine(systemClock);
    const fetcher = createFetcher(FETCHER);
    onTestFinished(fetcher.close);
    const accounts = createAccounts([drawnReader(new URL(site.url).host, 'env:READER')], async () =>
      JSON.stringify({ word: site.password }),
    );
    await begin({ engine }, [site.url], { delayMs: 0, render: 'always', keepRendered: true });
    const rendering = createRendering({
      renderer: createRoundRenderer({ clock: systemClock, ask }),
      pagesAtOnce: 2,
    });
    const running = startProcess(engine, fetcher, { rendering, accounts, wakerMs: 1000 });
    const pages = async () =>
      Object.values(await statesOf(engine)).filter((state) => state === 'fetched').length;
    await expect.poll(pages, { timeout: 120_000, interval: 500 }).toBe(DRAWN_PAGES);
    running.stop();
    await running.ended;
    expect(running.errors).toEqual([]);
    expect(site.logins).toBeGreaterThan(1);
    expect(site.signOuts).toBe(0);
    expect(site.views).not.toContain('none');
    const all = gunzipSync(engine.archiveOf(CRAWL).bytes()).toString('latin1');
    for (let page = 0; page < DRAWN_PAGES; page++) expect(all).toContain(`<p>words of page ${page} [`);
    for (const secret of site.secrets) expect(all).not.toContain(secret);

    expect(messages.length).toBeGreaterThan(DRAWN_PAGES);
    for (const message of messages) {
      const { cookies, ...rest } = JSON.parse(message);
      const names = cookies.map(({ name }: { name: string }) => name);
      expect(names).toContain('sid');
      expect(new Set(names).size).toBe(names.length);
      const known = JSON.stringify(cookies) + unpacked(rest);
      expect(site.secrets.filter((secret) => known.includes(secret))).toHaveLength(1);
      expect(site.secrets.filter((secret) => unpacked(rest).includes(secret))).toEqual([]);
      expect(known).not.toContain(site.password);
    }
  },
);

/** All of a message, with its bodies as text. */
const unpacked = (message: object): string =>
  JSON.stringify(message, (_, value) => {
    if (!Array.isArray(value) || !['gzip', 'plain'].includes(value[0])) return value;
    const bytes = Buffer.from(value[1], 'base64');
    return (value[0] === 'gzip' ? gunzipSync(bytes) : bytes).toString('latin1');
  });
