/**
 * A web of one host with as many URLs as one likes, found by fetching a few pages of thousands of links each.
 */
import type { Web } from './graph.ts';
import { page, type Reference, type Resource } from './resource.ts';
import type { RobotsPlan } from './robots.ts';

export interface MillionLinksOptions {
  /** Pages that have links; the others are leaves. */
  readonly pages: number;
  readonly linksPerPage: number;
  readonly port?: number;
}

const NO_ROBOTS: RobotsPlan = { kind: 'missing', groups: [] };

/**
 * Page `n` links to the pages `n * linksPerPage + 1` and following, so that no two pages link to the same
 * one: the web has `pages * linksPerPage + 1` URLs, and a crawl that takes them as they come knows all after
 * `pages` pages.
 */
export function millionLinks(options: MillionLinksOptions): Web {
  const { pages, linksPerPage, port = 80 } = options;
  if (!(pages >= 1)) throw new RangeError(`Expected \`pages\` >= 1, got ${pages}`);
  if (!(linksPerPage >= 1)) throw new RangeError(`Expected \`linksPerPage\` >= 1, got ${linksPerPage}`);
  const host = port === 80 ? 'million.test' : `million.test:${port}`;
  const origin = `http://${host}`;
  const pageCount = pages * linksPerPage + 1;

  function references(index: number): Reference[] {
    return Array.from({ length: index < pages ? linksPerPage : 0 }, (_, i) => {
      const path = pathOf(index * linksPerPage + 1 + i);
      return { how: 'a', written: path, target: origin + path };
    });
  }

  function at(url: string): Resource | undefined {
    const path = url.slice(origin.length);
    const index = path === '/' ? 0 : Number(/-(\d{1,12})$/.exec(path)?.[1] ?? -1);
    if (!url.startsWith(`${origin}/`) || index < 0 || index >= pageCount || pathOf(index) !== path)
      return undefined;
    return page(url, references(index));
  }

  return {
    port,
    hosts: [host],
    seeds: [`${origin}/`],
    pageCount,
    at,
    robots: (name) => (name === host ? NO_ROBOTS : undefined),
    isTrap: () => false,
    latencyMs: () => 0,
    atPort: (other) => millionLinks({ ...options, port: other }),
  };
}

const SECTIONS = ['news', 'articles/archive', 'shop/products', 'people', 'places/map'];

/** About as long as the URLs of a real shop or paper: some 40 bytes of path. */
function pathOf(index: number): string {
  if (index === 0) return '/';
  const section = SECTIONS[Math.floor(index / 1000) % SECTIONS.length]!;
  return `/${section}/${2000 + (index % 26)}/item-of-number-${index}`;
}
