/** A crawl of a host that is a function, watched for templates that add nothing new. */
import { createTemplateWatch, type WatchedTemplate } from '../../../shared/core/frontier/template-watch.ts';
import { templateOf } from '../../../shared/core/url/template-of.ts';

/** Returns the page at a path: the paths it links to, and its text. */
export type Site = (path: string) => {
  readonly links: readonly string[];
  readonly text: string;
  readonly isUnused?: boolean;
};

const HOST = 'http://a.com';
const TRAP_AFTER_PAGES = 100;
const TURN_PAGES = 20;

/** Crawls from `/` until nothing waits or `maxPages` are fetched. `order`: first come, or by chance. */
export function watchedCrawl(site: Site, order: 'first' | 'random', maxPages = 20_000) {
  const options = { minNew: 0.05 };
  let watch = createTemplateWatch([], options);
  const known = new Set(['/']);
  const waiting = ['/'];
  const pages: Record<string, number> = {};
  let total = 0;
  let maxStateBytes = 0;
  const random = createRandom();
  while (waiting.length > 0 && total < maxPages) {
    const [path] = waiting.splice(order === 'first' ? 0 : random(waiting.length), 1) as [string];
    if (watch.isClosed(HOST + path)) continue;
    total++;
    const { links, text, isUnused } = site(path);
    const fresh = [...new Set(links)].filter((link) => !known.has(link) && !watch.isClosed(HOST + link));
    for (const link of fresh) {
      known.add(link);
      waiting.push(link);
    }
    const template = templateOf(HOST + path);
    pages[template] = (pages[template] ?? 0) + 1;
    if (total < TRAP_AFTER_PAGES) continue;
    const newLinks = fresh.map((link) => HOST + link);
    watch.count(HOST + path, { newLinks, textHash: hashOf(text), isUnused: isUnused === true });
    if (total % TURN_PAGES > 0) continue;
    // As a head keeps it from turn to turn.
    const kept = JSON.stringify(watch.state());
    maxStateBytes = Math.max(maxStateBytes, kept.length);
    watch = createTemplateWatch(JSON.parse(kept) as WatchedTemplate[], options);
  }
  return { total, pages, closed: watch.closed(), hasEnded: waiting.length === 0, maxStateBytes };
}

/** As the parser makes it: digits count as one letter. */
export function hashOf(text: string): number {
  let hash = 0;
  for (const letter of text.replace(/\d/g, '0')) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  return hash;
}

/** A text of its own for each number, without digits. */
export function wordsOf(n: number): string {
  return n.toString(20).replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)] as string);
}

function createRandom() {
  let state = 1;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
