/** The generated web's URLs and what links to what: decided by a seed, the same on every machine. */
import { stream, zipf } from '../../../test/web/random.ts';

/**
 * `copy`: the bytes of a page under another URL. `false`: named only in comments and scripts, so that nobody
 * should ask for it.
 */
export type Kind = 'page' | 'copy' | 'redirect' | 'error' | 'missing' | 'false' | 'robots';

export interface Entry {
  readonly host: number;
  /** As it is requested: path and query. */
  readonly path: string;
  readonly kind: Kind;
  readonly status: number;
  /** By robots.txt. */
  readonly isDisallowed: boolean;
  /** The page's index on its host; for a copy, the index of the original. */
  readonly index: number;
  /** The target of a redirect. */
  readonly target?: Entry;
  /** The pages it links to, each once. For a copy, those of the original page. */
  readonly links: Entry[];
}

export interface Host {
  readonly index: number;
  readonly entries: ReadonlyMap<string, Entry>;
  readonly pages: readonly Entry[];
  readonly others: readonly Entry[];
}

export type Scheme = 'http' | 'https';

export interface WebSize {
  readonly hosts: number;
  readonly pages: number;
  /** Default: `http`. `https` is TLS 1.3, with a certificate that nobody trusts. */
  readonly scheme?: Scheme;
}

export const ROBOTS = 'User-agent: *\nDisallow: /private/\nAllow: /private/open/\nDisallow: /search\n';

const SEED = 42;
/** Each page links to this number of the next ones, so that all can be reached. */
const CHILDREN = 6;
const MENU = 12;

export function createGraph({ hosts: hostCount, pages: pageCount }: WebSize): Host[] {
  const hosts = Array.from({ length: hostCount }, (_, host) => createHost(host, pageCount));
  for (const host of hosts) link(hosts, host);
  return hosts;
}

function createHost(host: number, pageCount: number): Host {
  const random = stream(SEED, 'host', host);
  const some = (of: readonly Entry[]): Entry => of[Math.floor(random() * of.length)] as Entry;
  const entry = (path: string, kind: Kind, status: number, index = 0, target?: Entry): Entry => {
    const isDisallowed = path.startsWith('/private/doc');
    return { host, path, kind, status, isDisallowed, index, target, links: [] };
  };
  const pages = Array.from({ length: pageCount }, (_, i) => entry(pathOf(i), 'page', 200, i));
  const others: Entry[] = [];
  for (let i = 0; i < pageCount / 20; i++) {
    const page = some(pages);
    others.push(
      entry(`/print${i}${page.path}`, 'copy', 200, page.index),
      entry(`/old/${i}`, 'redirect', i % 2 === 0 ? 301 : 302, 0, some(pages)),
      entry(`/gone/${i}.html`, 'missing', 404),
    );
  }
  others.push(entry('/broken', 'error', 500));
  const unseen = [0, 1, 2, 3].flatMap((i) => [
    entry(`/false/comment-${i}.html`, 'false', 404),
    entry(`/false/script-${i}.html`, 'false', 404),
  ]);
  const all = [...pages, ...others, ...unseen, entry('/robots.txt', 'robots', 200)];
  return { index: host, pages, others, entries: new Map(all.map((one) => [one.path, one])) };
}

/** Paths in the forms that real sites use. */
function pathOf(i: number): string {
  if (i === 0) return '/';
  if (i % 33 === 7) return `/private/doc-${i}.html`;
  if (i % 99 === 8) return `/private/open/doc-${i}.html`;
  const forms = [
    `/section-${i % 20}/page-${i}.html`,
    `/articles/${2015 + (i % 11)}/${String(1 + (i % 12)).padStart(2, '0')}/the-story-of-number-${i}/`,
    `/view.php?id=${i}&lang=en`,
    `/docs/v${i % 4}/chapter-${i % 13}/page-${i}.htm`,
    `/blog/${i}-some-words-of-a-title`,
    `/shop/category_${i % 17}/item_${i}?color=red&size=${i % 5}`,
    `/wiki/Caf%C3%A9_(${i})`,
    `/forum/thread/${i}?page=${i % 4}&sort=date`,
  ];
  return forms[i % forms.length] as string;
}

function link(hosts: readonly Host[], { index, pages, others }: Host): void {
  const entries = new Map([...pages, ...others].map((entry) => [entry.path, entry]));
  for (const page of pages) {
    const random = stream(SEED, 'links', index, page.index);
    const links = new Set<Entry>(pages.slice(0, MENU + 1));
    for (const child of pages.slice(CHILDREN * page.index + 1, CHILDREN * (page.index + 1) + 1))
      links.add(child);
    for (let n = 20 + Math.floor(random() * 28); n > 0; n--)
      links.add(pages[Math.floor(pages.length * random() ** 1.3)] as Entry);
    for (let n = 2 + Math.floor(random() * 6); n > 0; n--) {
      const other = hosts[zipf(random(), hosts.length)] as Host;
      links.add(other.pages[Math.floor(other.pages.length * random() ** 3)] as Entry);
    }
    if (page.index === 0) for (const other of others) links.add(other);
    else if (random() < 0.5) links.add(others[Math.floor(random() * others.length)] as Entry);
    page.links.push(...links);
  }
  for (const { kind, index: original, links } of entries.values())
    if (kind === 'copy') links.push(...(pages[original] as Entry).links);
}

/**
 * The documents that links lead to from the hosts' first pages: with `isPolite`, without what robots.txt
 * forbids.
 */
export function reachable(hosts: readonly Host[], isPolite: boolean): Set<Entry> {
  const met = new Set(hosts.map(({ pages }) => pages[0] as Entry));
  // A set is walked to its end, what is added meanwhile with it.
  for (const { links, target } of met)
    for (const next of target ? [target] : links) if (!(isPolite && next.isDisallowed)) met.add(next);
  return new Set([...met].filter(({ kind }) => kind === 'page' || kind === 'copy'));
}
