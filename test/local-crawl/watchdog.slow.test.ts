/**
 * Pages that block the thread that works on them: the crawl continues without them, and signals and limits
 * hold.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCrawl } from '../../api/open-crawl.ts';
import { all } from '../all.ts';
import { needs } from '../needs.ts';
import { commandLine, rowOfPages, type SmallSite, startSite } from './small-site.ts';

/** Never ends where the parser resolves this reference, which no standard would make it do. */
const HANG = '<a href="hang:here">blocks</a>';
const LOOP = 'for (;;);';
/** As long as a loop, and takes no CPU from the tests beside it. */
const WAIT = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const project = (blockTimeoutMs: number, { more = '', block = WAIT } = {}) => `
  import { writeFileSync } from 'node:fs';
  const { parse } = URL;
  URL.parse = (text, base) => {
    if (String(text) === 'hang:here') { writeFileSync(${JSON.stringify(mark())}, ''); ${block} }
    return parse.call(URL, text, base);
  };
  export default { crawl: { blockTimeoutMs: ${blockTimeoutMs} }, ${more} };`;

let site: SmallSite;
let here: ReturnType<typeof commandLine>;
beforeEach(() => {
  here = commandLine();
});
afterEach(async () => {
  here.remove();
  await site.stop();
});

/** A file that is there once a page blocks its thread. */
const mark = () => join(dirname(here.folder), 'blocks');
async function blocked(): Promise<void> {
  while (!existsSync(mark())) await new Promise((resolve) => setTimeout(resolve, 10));
}

const times = (path: string) => site.log.filter((one) => one === path).length;

describe('a page that blocks its thread', () => {
  test.each([1, 2])(
    'goes to quarantine after one try, and %i worker(s) crawl all others',
    async (workers) => {
      site = await startSite({
        ...rowOfPages(30, (n) => (n === 10 ? '<a href="/hang">' : '')),
        '/hang': HANG,
      });
      const { code, out, err } = await here.crawl(
        site,
        project(1000, { block: LOOP }),
        '--workers',
        String(workers),
      ).ended;
      const hang = `${site.url}/hang`;
      const cause = 'blocked its thread for 1 s when it was parsed';
      expect(err).toContain(`${hang} ${cause}`);
      const { state, pages, errors, setAside } = JSON.parse(out);
      expect([code, state, pages, errors, setAside]).toEqual([8, 'finished', 30, { blocked: 1 }, []]);
      expect(times('/hang')).toBe(1);
      await using stored = await openCrawl(here.folder);
      expect(await stored.url(hang)).toMatchObject({ status: 'failed', cause });
      const rows = await all(stored.urls());
      expect(rows.find(({ url }) => url === hang)).toMatchObject({ status: 'failed', cause });
    },
  );

  test('is remembered although it was found and fetched in one visit', async () => {
    site = await startSite({ '/': '<a href="/hang">', '/hang': HANG });
    const { code, out } = await here.crawl(site, project(1000)).ended;
    expect([code, JSON.parse(out).errors]).toEqual([8, { blocked: 1 }]);
    expect(times('/hang')).toBe(1);
  });

  test('is one of three: then its host is given up with that cause', async () => {
    const links = [5, 15, 25, 35].map((n) => `<a href="/${n}">`).join('');
    site = await startSite({ '/': links, '/5': HANG, '/15': HANG, '/25': HANG, '/35': HANG });
    const { out } = await here.crawl(site, project(1000)).ended;
    const { setAside } = JSON.parse(out);
    expect(setAside).toEqual([
      {
        host: new URL(site.url).host,
        causeCode: 'pagesBlockedThread',
        cause:
          '3 of its pages blocked their thread; the last one blocked its thread for 1 s when it was parsed',
      },
    ]);
    expect(['/5', '/15', '/25', '/35'].map(times).sort()).toEqual([0, 1, 1, 1]);
  });

  needs('signals')(
    'does not keep one signal from ending the crawl, and resume continues without the page',
    async () => {
      site = await startSite({ '/': '<a href="/1">', '/1': `<a href="/2">${HANG}`, '/2': '' });
      const { child, ended } = here.crawl(site, project(2000));
      await blocked();
      child.kill('SIGINT');
      const { code, out } = await ended;
      expect([code, JSON.parse(out).state]).toEqual([130, 'interrupted']);
      const resumed = await here.resume().ended;
      expect([resumed.code, JSON.parse(resumed.out).state]).toEqual([8, 'finished']);
      expect(times('/1')).toBe(1);
    },
  );

  needs('signals')('does not keep a second signal from ending the process at once', async () => {
    site = await startSite({ '/': HANG });
    const { child, ended } = here.crawl(site, project(60_000));
    await blocked();
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(130);
  });

  test('does not keep a limit of time from ending the crawl', async () => {
    site = await startSite({ '/': `<a href="/1">`, '/1': HANG }, { delayMs: 300 });
    const { out } = await here.crawl(site, project(1000), '--max-time', '1s').ended;
    expect(JSON.parse(out)).toMatchObject({ state: 'limited', reason: '1 seconds' });
  });
});

test.each([1, 2])(
  'a hook that blocks after its first await: the page is found, and %i worker(s) crawl all others',
  async (workers) => {
    site = await startSite(rowOfPages(6));
    const hook = `async onPage({ url }) { await null; if (url.endsWith('/3')) ${WAIT} }`;
    // On a busy machine any page may take a second.
    const { code, out } = await here.crawl(site, project(3000, { more: hook }), '--workers', String(workers))
      .ended;
    const { pages, byStatus } = JSON.parse(out);
    // Its links were never read.
    expect([code, pages, byStatus.failed]).toEqual([8, 3, 1]);
    await using stored = await openCrawl(here.folder);
    const page = await stored.url(`${site.url}/3`);
    expect(page?.cause).toBe('the worker died 3 times when it fetched this');
  },
);
