/**
 * Pages rendered by scripts: the links that are found on a site whose links are known, requests that did not come by the
 * crawler, and what a page costs, beside Crawlee's PlaywrightCrawler with the same browser.
 *
 *     npm run bench -- render [PAGES of a long run, for memory]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Renderer } from '../../shared/crawler/ports/renderer.ts';
import { findBrowser } from '../../shared/crawler/renderer/find-browser.ts';
import { createRenderer } from '../../shared/crawler/renderer/renderer.ts';
import { createPartFetcher, findLinks, type PartFetcher } from '../../test/web/scripted/render-page.ts';
import type { ScriptedPage } from '../../test/web/scripted/scripted-page.ts';
import { siteOf } from '../../test/web/scripted/site.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsSince } from '../harness/cpu-time.ts';
import type { Figure, Measured } from '../harness/record.ts';
import { withScratch } from '../harness/scratch.ts';
import { type CrawleeRun, crawlByCrawlee } from './render/crawlee.ts';
import { treeUse } from './render/process-tree.ts';
import { pageOf, usualPages } from './render/usual-pages.ts';

const USUAL_PAGES = 64;
const AT_ONCE = 4;
const LOOK_MS = 200;

type Site = ReturnType<typeof siteOf>;

interface Bench {
  readonly site: Site;
  readonly server: ChildProcess;
  readonly renderer: Renderer;
  readonly parts: PartFetcher;
}

export async function measure({ words }: BenchOptions): Promise<Measured> {
  const program = findBrowser({ env: process.env });
  if (program === undefined) throw new Error('There is no browser: apt-get install chromium-headless-shell');
  const server = fork(new URL('./render/site-process.ts', import.meta.url));
  const [ports] = await once(server, 'message');
  const site = siteOf(ports);
  const parts = createPartFetcher();
  const open = (temporaryFolder: string) => createRenderer({ program, temporaryFolder, warn: () => {} });
  const measured = await withScratch(async (folder) => {
    const renderer = open(folder);
    const bench = { site, server, renderer, parts };
    const truth = await countLinks(bench);
    const ends = await timeHostile(bench);
    await renderer.close();
    const fresh = { ...bench, renderer: open(folder) };
    const usual = await renderUsual(fresh, USUAL_PAGES);
    const long = words[0] === undefined ? {} : await renderMany(fresh, Number(words[0]));
    await fresh.renderer.close();
    return { truth, ends, usual, long };
  });
  server.send('escapes');
  const [escapes] = (await once(server, 'message')) as [string[]];
  const crawlee = await crawlUsualByCrawlee(program.path, site);
  await parts.close();
  server.disconnect();
  const { truth, ends, usual, long } = measured;
  return {
    figures: {
      linksPlain: { value: truth.plain, unit: 'links found' },
      linksBehaved: { value: truth.behaved, unit: 'links found by scrolling and clicking, too' },
      linksTotal: { value: truth.total, unit: 'links of the site' },
      escapedRequests: { value: escapes.length, unit: 'requests and connections without the crawler' },
      cpuSecondsPerPage: {
        value: usual.cpuMs / 1000 / USUAL_PAGES,
        unit: 's of CPU a page, with the browser',
      },
      ownCpuSecondsPerPage: {
        value: usual.ownCpuMs / 1000 / USUAL_PAGES,
        unit: 's of it without the browser',
      },
      ...(typeof crawlee !== 'string' && {
        cpuByCrawlee: { value: crawlee.cpuMs / 1000 / USUAL_PAGES, unit: 's of CPU a page by Crawlee' },
        peakMbByCrawlee: { value: crawlee.peakMb, unit: 'MB of its browser' },
      }),
      peakMb: { value: usual.peakMb, unit: `MB of the browser with ${AT_ONCE} pages at once` },
      ...ends,
      ...long,
    },
    detail: [
      `Usual pages: ${usual.links} links${typeof crawlee === 'string' ? `; Crawlee: ${crawlee}` : `, by Crawlee ${crawlee.links}`}`,
      ...truth.missing,
      ...escapes,
    ].join('\n'),
    hasFailed: escapes.length > 0,
  };
}

const render = ({ renderer, site, parts }: Bench, page: ScriptedPage, behaves = false) =>
  findLinks(renderer, site, page, { fetchPart: parts.fetchPart, behaves });

async function countLinks(bench: Bench) {
  const pages = bench.site.pages.filter(({ isHostile }) => !isHostile);
  let plain = 0;
  let behaved = 0;
  const missing: string[] = [];
  await inParallel(pages, async (page) => {
    const { found } = await render(bench, page);
    const { found: more } = page.behaved === undefined ? { found } : await render(bench, page, true);
    plain += found;
    behaved += more;
    if (page.lacks !== undefined) missing.push(`${page.name}: ${page.lacks}`);
  });
  return { plain, behaved, total: pages.reduce((sum, { links }) => sum + links.length, 0), missing };
}

/** How long a page keeps the crawl that never ends, or takes all memory. */
async function timeHostile(bench: Bench): Promise<Record<string, Figure>> {
  const usedBy = async (name: string) => (await render(bench, pageOf(bench.site, name))).rendering.used;
  const loop = await usedBy('loop-at-once');
  const memory = await usedBy('memory');
  return {
    loopSeconds: { value: loop.ms / 1000, unit: 's for a script that never ends' },
    loopCpuSeconds: { value: loop.cpuMs / 1000, unit: 's of CPU for it' },
    memorySeconds: { value: memory.ms / 1000, unit: 's for a page that takes all memory' },
    memoryCpuSeconds: { value: memory.cpuMs / 1000, unit: 's of CPU for it' },
  };
}

async function renderUsual(bench: Bench, count: number) {
  const pages = usualPages(bench.site, count);
  await render(bench, pages[0] as ScriptedPage);
  const use = () => treeUse(process.pid, bench.server.pid);
  const before = { cpuMs: use().cpuMs, own: process.cpuUsage() };
  let peakMb = 0;
  // The kernel walks all pages of a process for its memory: looks cost more than what is measured.
  let lookedMs = 0;
  const looking = setInterval(() => {
    const began = process.cpuUsage();
    peakMb = Math.max(peakMb, use().mb);
    lookedMs += cpuMsSince(began);
  }, LOOK_MS);
  let links = 0;
  await inParallel(pages, async (page) => {
    const { found } = await render(bench, page);
    links += found;
  });
  clearInterval(looking);
  const ownCpuMs = cpuMsSince(before.own) - lookedMs;
  return { links, peakMb, ownCpuMs, cpuMs: use().cpuMs - before.cpuMs + ownCpuMs };
}

/** As many pages after the first one as `renderUsual` counts, without the start of program and browser. */
async function crawlUsualByCrawlee(browser: string, site: Site): Promise<CrawleeRun | string> {
  const urls = urlsOf(site, USUAL_PAGES + 1);
  const first = await crawlByCrawlee(browser, AT_ONCE, urls.slice(0, 1));
  const all = await crawlByCrawlee(browser, AT_ONCE, urls);
  if (typeof first === 'string') return first;
  if (typeof all === 'string') return all;
  return { links: all.links - first.links, cpuMs: all.cpuMs - first.cpuMs, peakMb: all.peakMb };
}

/** Memory after `count` pages, beside that after 50. */
async function renderMany(bench: Bench, count: number): Promise<Record<string, Figure>> {
  await renderUsual(bench, 50);
  const total = () => treeUse(process.pid, bench.server.pid).mb + process.memoryUsage.rss() / 1e6;
  const before = total();
  await renderUsual(bench, count - 50);
  return {
    memoryGrowth: { value: total() / before, unit: `times the memory, after ${count} pages and after 50` },
  };
}

/** Each once: some crawlers visit a URL only once. */
const urlsOf = (site: Site, count: number): string[] =>
  usualPages(site, count).map((page, i) => `${site.urlOf(page)}?i=${i}`);

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
