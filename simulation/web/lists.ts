/** Lists of pages that hosts have besides links: sitemaps that robots.txt names, indexes of them, and feeds. */
import type { Random } from '../models/random.ts';
import { cached } from './cache.ts';
import { type Chance, DRAW } from './chance.ts';
import type { Hosts, WebHost } from './hosts.ts';
import type { WebShape } from './shape.ts';

export type ListKind =
  /** As XML, as lines of text, as XML that breaks off within an entry. */
  | 'sitemap'
  | 'text'
  | 'broken'
  /** A list of sitemaps. */
  | 'index'
  /** Redirects to its first entry. */
  | 'moved'
  /** Is not there, or never answers well. */
  | 'missing'
  | 'failing'
  | 'rss'
  | 'atom';

export interface List {
  readonly url: string;
  readonly kind: ListKind;
  /** Where it stands: not always the host whose pages it lists. */
  readonly server: WebHost;
  readonly entries: readonly Entry[];
}

/** Canonical URL; the priority that a sitemap states, from 0 to 1; and when the page was modified, ms since 1970. */
export interface Entry {
  readonly url: string;
  readonly priority?: number;
  readonly modifiedAt?: number;
}

export interface Feed {
  readonly url: string;
  readonly kind: 'rss' | 'atom';
  /** Pages name it as their alternate; otherwise they link to it as to a page. */
  readonly isAlternate: boolean;
}

export interface Lists {
  /** The sitemaps that the host's robots.txt names, if it has one. Canonical. */
  namedBy(host: WebHost): readonly string[];
  /** The feed of the host to which the page leads. */
  feedOf(host: WebHost, page: number): Feed | undefined;
  find(url: string): List | undefined;
}

export interface ListsOf {
  readonly hosts: Hosts;
  readonly chance: Chance;
  pageUrl(host: WebHost, page: number): string;
}

/** Pages other than the root that lead to the feed. */
const FEED_PAGES_SHARE = 0.2;
const MAX_ENTRIES = 8;
/** Times of changes are in these days. */
const DATES_FROM = Date.UTC(2024, 0, 1);
const DATED_DAYS = 600;
const DAY_MS = 86_400_000;
/** Indexes within each other, one more than the crawler follows. */
const NESTED = 4;
const LIST = /^https?:\/\/[^/]+\/(?:maps|feeds)\/(\d+)-/;

interface HostLists {
  readonly named: readonly string[];
  readonly feed?: Feed;
  readonly all: readonly List[];
}

const NO_LISTS: HostLists = { named: [], all: [] };

export function createLists(
  {
    namedShare = 0,
    feedShare = 0,
    hasDates = false,
  }: Pick<WebShape, 'namedShare' | 'feedShare' | 'hasDates'>,
  of: ListsOf,
): Lists {
  const { hosts, chance } = of;

  function listsOf(number: number): HostLists {
    const host = hosts.of(number);
    const drawn = chance.at(DRAW.named, number) < namedShare ? sitemapsOf(host, of) : NO_LISTS;
    const sitemaps = hasDates ? dated(drawn, number, chance) : drawn;
    if (chance.at(DRAW.feeds, number) >= feedShare) return sitemaps;
    const random = chance.stream(DRAW.feeds, number, 1);
    const kind = random() < 0.5 ? 'rss' : 'atom';
    const url = `${siteOf(host, of)}/feeds/${number}-news.${kind === 'rss' ? 'xml' : 'atom'}`;
    const list: List = { url, kind, server: host, entries: withoutPriority(entriesOf(host, of, random)) };
    const feed: Feed = { url, kind, isAlternate: random() < 0.6 };
    return { named: sitemaps.named, feed, all: [...sitemaps.all, list] };
  }

  const own = cached(4096, listsOf);
  return {
    namedBy: ({ number }) => own(number).named,
    feedOf({ number }, page) {
      const isNaming = page === 0 || chance.at(DRAW.feeds, number, page) < FEED_PAGES_SHARE;
      return isNaming ? own(number).feed : undefined;
    },
    find(url) {
      const number = Number(LIST.exec(url)?.[1] ?? hosts.count);
      return number < hosts.count ? own(number).all.find((list) => list.url === url) : undefined;
    },
  };
}

const siteOf = (host: WebHost, { pageUrl }: ListsOf): string => pageUrl(host, 0).slice(0, -1);

/** Most are pages of the host itself. */
function entriesOf(host: WebHost, { hosts, pageUrl }: ListsOf, random: Random): Entry[] {
  const urls = new Set<string>();
  const count = 1 + Math.floor(random() * MAX_ENTRIES);
  for (let i = 0; i < count; i++) {
    const way = random();
    const at = way < 0.15 ? hosts.linked(random()) : host;
    const page = Math.floor(random() * at.pages);
    urls.add(way > 0.95 ? `${pageUrl(host, 0)}missing/listed` : pageUrl(at, page));
  }
  return [...urls].map((url) =>
    random() < 0.5 ? { url, priority: Math.round(10 * random()) / 10 } : { url },
  );
}

/** A sitemap of the host or of its neighbour, one of another site, some that fail, a moved one, or an index. */
function sitemapsOf(host: WebHost, of: ListsOf): HostLists {
  const { hosts, chance } = of;
  const random = chance.stream(DRAW.named, host.number, 1);
  const neighbour = hosts.of((host.number + 1) % hosts.count);
  const make = (name: string, kind: ListKind, entries: readonly Entry[], server = host): List => ({
    url: `${siteOf(server, of)}/maps/${host.number}-${name}`,
    kind,
    server,
    // Only a sitemap of XML states what its entries are worth.
    entries: kind === 'sitemap' || kind === 'broken' ? entries : withoutPriority(entries),
  });
  const named = (lists: readonly List[], others: readonly List[] = []): HostLists => ({
    named: lists.map(({ url }) => url),
    all: [...lists, ...others],
  });
  const pages = make('pages.xml', 'sitemap', entriesOf(host, of, random));
  const guest = make('guest.xml', 'sitemap', entriesOf(host, of, random), neighbour);
  switch (Math.floor(random() * 6)) {
    case 0:
      return named([pages]);
    case 1:
      return named([guest]);
    case 2:
      // On another site, where nothing is: a crawl of this site must not ask there.
      return { named: [`http://maps-${host.number}.elsewhere.test/sitemap.xml`, pages.url], all: [pages] };
    case 3:
      return named([
        make('lines.txt', 'text', entriesOf(host, of, random)),
        make('error.xml', random() < 0.5 ? 'failing' : 'missing', []),
      ]);
    case 4:
      return named([make('moved.xml', 'moved', [pages])], [pages]);
  }
  const parts = [pages, guest, make('cut.xml', 'broken', entriesOf(host, of, random))];
  const nested = random() < 0.4 ? nestedIndexes(make) : [];
  return named([make('index.xml', 'index', [...parts, ...nested.slice(0, 1)])], [...parts, ...nested]);
}

/** Each names the next one, and the first one again. */
function nestedIndexes(make: (name: string, kind: ListKind, entries: readonly Entry[]) => List): List[] {
  const bare = Array.from({ length: NESTED }, (_, i) => make(`index-${i + 1}.xml`, 'index', []));
  return bare.map((list, i) => ({
    ...list,
    entries: withoutPriority([bare[i + 1], bare[0]].filter((entry) => entry !== undefined)),
  }));
}

/** Sitemaps of XML say of half of their entries when these were modified: long ago, so that their ranks are as without. */
function dated(lists: HostLists, number: number, chance: Chance): HostLists {
  const random = chance.stream(DRAW.modified, number);
  const withTime = (entry: Entry): Entry =>
    random() < 0.5
      ? entry
      : { ...entry, modifiedAt: DATES_FROM + Math.floor(random() * DATED_DAYS) * DAY_MS };
  const all = lists.all.map((list) =>
    list.kind === 'sitemap' || list.kind === 'broken'
      ? { ...list, entries: list.entries.map(withTime) }
      : list,
  );
  return { ...lists, all };
}

const withoutPriority = (entries: readonly Entry[]): Entry[] => entries.map(({ url }) => ({ url }));
