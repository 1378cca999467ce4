/** Crawls the site, and says which pages are new, changed or gone since the last time. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { startCrawl } from 'strand-crawler';
import { CRAWL, SITE } from './site.ts';

type Pages = Record<string, string>;

const FILE = 'pages.json';
const before: Pages | undefined = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : undefined;
const now: Pages = {};

const crawl = await startCrawl({
  ...CRAWL,
  seeds: [SITE],
  out: `crawls/${new Date().toISOString().replaceAll(/[:.]/g, '-')}`,
  // The main content alone: navigation and advertisements change with each visit.
  onPage({ url, title, markdown }) {
    now[url] = createHash('sha256').update(`${title}\n${markdown}`).digest('hex');
  },
});
const { state, pages } = await crawl.done;
console.log(`${pages} pages, ${state}`);
// A crawl that did not come to its end says nothing about pages that are missing.
if (state !== 'finished') process.exit(1);

if (before !== undefined) {
  for (const url of Object.keys({ ...before, ...now }).sort()) {
    if (before[url] === undefined) console.log(`new      ${url}`);
    else if (now[url] === undefined) console.log(`gone     ${url}`);
    else if (before[url] !== now[url]) console.log(`changed  ${url}`);
  }
}
writeFileSync(FILE, `${JSON.stringify(now, undefined, 2)}\n`);
