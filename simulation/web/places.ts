/** Places of the web: canonical URLs, and what stands there. */
import { ASSETS } from './asset-kinds.ts';
import { cached } from './cache.ts';
import { type Chance, DRAW } from './chance.ts';
import { type ChangePlace, changePath, findChange } from './change-links.ts';
import { DOMAIN, type Hosts, type WebHost } from './hosts.ts';
import { createLists, type List, type Lists } from './lists.ts';
import type { HostKind, WebShape } from './shape.ts';
import { lastmodKind, SITEMAP_PATH } from './sitemaps.ts';
import { isUsageFile } from './usage.ts';

export type Place =
  /** `isWrongScheme`: the page is at the host's other scheme. */
  | { readonly what: 'page'; readonly host: WebHost; readonly page: number; readonly isWrongScheme: boolean }
  /** A stop between a page that redirects and where that ends. */
  | { readonly what: 'hop'; readonly host: WebHost; readonly page: number; readonly hop: number }
  /** An image, a style or a font (`assets.ts`). */
  | { readonly what: 'asset'; readonly host: WebHost; readonly asset: number }
  /** A day of a trap. */
  | { readonly what: 'day'; readonly host: WebHost; readonly day: number }
  /** The rules of `host`, perhaps not at its own name. `isFirst`: where everybody asks first. */
  | {
      readonly what: 'robots';
      readonly host: WebHost;
      /** Which answers for it, well or not. */
      readonly server: WebHost;
      readonly isFirst: boolean;
    }
  | { readonly what: 'sitemap'; readonly host: WebHost }
  /** A sitemap that robots.txt or an index names, or a feed. */
  | { readonly what: 'list'; readonly host: WebHost; readonly list: List }
  /** Where a host may state that the use of its pages is reserved. */
  | { readonly what: 'usageFile'; readonly host: WebHost }
  /** Another URL of a page, on any host: what pages name as canonical (`canonicals.ts`). */
  | { readonly what: 'alias'; readonly host: WebHost; readonly of: Alias }
  /** A request of a page that is rendered (`scripts.ts`). */
  | { readonly what: 'part'; readonly host: WebHost; readonly name: string }
  /** A URL whose request changes something, or that redirects to one. */
  | { readonly what: 'change'; readonly host: WebHost; readonly of: ChangePlace }
  | { readonly what: 'nothing'; readonly host: WebHost }
  /** `refused`: the host is there, but not at that port or scheme. */
  | { readonly what: 'noHost'; readonly refused: boolean };

/** `back`: it redirects to the page; the others are no pages, and never were. */
export interface Alias {
  readonly host: WebHost;
  readonly page: number;
  readonly kind: 'back' | 'gone' | 'failing';
}

export interface Places {
  /** Canonical URL of a page. */
  pageUrl(host: WebHost, page: number): string;
  hopUrl(host: WebHost, page: number, hop: number): string;
  dayUrl(host: WebHost, day: number): string;
  assetUrl(host: WebHost, asset: number): string;
  aliasUrl(server: WebHost, alias: Alias): string;
  changeUrl(host: WebHost, change: ChangePlace): string;
  /** At the origin of the page. */
  partUrl(host: WebHost, page: number, name: string): string;
  /** Undefined: the host has no sitemap. */
  sitemapUrl(host: WebHost): string | undefined;
  readonly lists: Lists;
  /** Where the host's robots.txt leads if it is not there itself. */
  robotsTarget(host: WebHost): string | undefined;
  /**
   * Whose rules hold for the host: its own, or those of the neighbour to whose robots.txt its own redirects.
   */
  rulesOf(host: WebHost): WebHost;
  find(url: string): Place;
}

/** Folders, for links of all forms; with `~` and what has to be escaped. */
const FOLDERS = ['a', 'b', 'news', 'caf%C3%A9', '~ada', 'x%20y', 'c-x'];
const PAGE_NUMBER = /[/=-](\d+)(?:[./&]|$)/;
const HOP = /^\/hop\/(\d+)\/(\d+)$/;
const ASSET = /^\/assets\/(\d+)\./;
const DAY = /^\/cal\/\d+\/\d+\/\d+\?next=(\d+)$/;
const ALIAS = /^\/same\/(\d+)\/(\d+)\/(back|gone|failing)$/;
const PART = /^\/parts\/([a-z0-9-]+\.(?:js|json))$/;
const DAY_MS = 86_400_000;
const CALENDAR_FROM = Date.UTC(2026, 0, 1);
const MOVED_RULES = '/robots/rules.txt';
const GUEST_RULES = /^\/rules-of-(\d+)\.txt$/;
/** Hosts whose own robots.txt may redirect. */
const REDIRECTING: ReadonlySet<HostKind> = new Set(['robotsMoved', 'robotsElsewhere', 'robotsAtNeighbour']);
const RULES_HOST = /^robots-(h\d+\..*)$/;

type PlacesShape = Pick<
  WebShape,
  'changes' | 'namedShare' | 'feedShare' | 'hasDates' | 'canonicalShare' | 'scriptedShare' | 'changeShare'
>;

export function createPlaces(hosts: Hosts, chance: Chance, shape: PlacesShape = {}): Places {
  const isHttps = (host: WebHost, page: number): boolean =>
    host.scheme === 'https' ||
    (host.scheme === 'either' && chance.at(DRAW.scheme, host.number, page + 1) < 0.5);
  const siteOf = (host: WebHost, page = 0): string =>
    `${isHttps(host, page) ? 'https' : 'http'}://${host.key}`;
  const pageUrl = (host: WebHost, page: number): string => siteOf(host, page) + pathOf(host, page);

  const hopUrl = (host: WebHost, page: number, hop: number): string =>
    `${siteOf(host, page)}/hop/${page}/${hop}`;
  const dayUrl = (host: WebHost, day: number): string => siteOf(host) + dayPath(day);
  const assetUrl = (host: WebHost, asset: number): string =>
    `${siteOf(host)}/assets/${asset}.${ASSETS[asset]}`;
  const aliasUrl = (server: WebHost, { host, page, kind }: Alias): string =>
    `${siteOf(server)}/same/${host.number}/${page}/${kind}`;

  const changeUrl = (host: WebHost, change: ChangePlace): string =>
    siteOf(host, change.page) + changePath(host, change);

  const partUrl = (host: WebHost, page: number, name: string): string =>
    `${siteOf(host, page)}/parts/${name}`;

  const lists = createLists(shape, { hosts, chance, pageUrl });

  const sitemapUrl = (host: WebHost): string | undefined =>
    shape.changes && lastmodKind(chance, host) ? siteOf(host) + SITEMAP_PATH : undefined;

  function pathOf({ number }: WebHost, page: number): string {
    if (page === 0) return '/';
    const at = chance.at(DRAW.path, number, page) * 7;
    const form = Math.floor(at);
    const folder = FOLDERS[Math.floor((at - form) * FOLDERS.length)] as string;
    if (form === 0) return `/p/${page}.html`;
    if (form === 1) return `/${folder}/${page}`;
    if (form === 2) return `/list?page=${page}&sort=up`;
    if (form === 3) return `/private/${folder}/${page}.html`;
    if (form === 4) return `/shop/item-${page}.php?ref=home`;
    if (form === 5) return `/a/${folder}/deep/${page}/`;
    return `/${folder}/b/${page}.html`;
  }

  function robotsTarget(host: WebHost): string | undefined {
    if (host.kind === 'robotsMoved') return siteOf(host) + MOVED_RULES;
    if (host.kind === 'robotsElsewhere') return `http://robots-${host.key}/robots.txt`;
    if (host.kind !== 'robotsAtNeighbour') return undefined;
    const ruler = rulesOf(host);
    return ruler === host
      ? `${siteOf(neighbourOf(host))}/rules-of-${host.number}.txt`
      : `${siteOf(ruler)}/robots.txt`;
  }

  const neighbourOf = (host: WebHost): WebHost => hosts.of((host.number + 1) % hosts.count);

  function rulesOf(host: WebHost): WebHost {
    const neighbour = neighbourOf(host);
    const isShared = host.kind === 'robotsAtNeighbour' && chance.at(DRAW.robots, host.number, -2) < 0.5;
    return isShared && !REDIRECTING.has(neighbour.kind) ? neighbour : host;
  }

  function find(url: string): Place {
    const isAsked = url.startsWith('https:');
    const from = isAsked ? 8 : 7;
    const pathAt = url.indexOf('/', from);
    const key = url.slice(from, pathAt);
    const path = url.slice(pathAt);
    const host = hosts.byKey(key);
    if (host === undefined) return findRules(key, url);
    if (host.scheme !== 'either' && (host.scheme === 'https') !== isAsked)
      return { what: 'noHost', refused: true };
    if (path === '/robots.txt') return { what: 'robots', host, server: host, isFirst: true };
    if (isUsageFile(url)) return { what: 'usageFile', host };
    const guest = Number(GUEST_RULES.exec(path)?.[1] ?? host.number);
    const ruled = hosts.of(Math.min(guest, hosts.count - 1));
    if (url === robotsTarget(ruled)) return { what: 'robots', host: ruled, server: host, isFirst: false };
    const page = path === '/' ? 0 : Number(PAGE_NUMBER.exec(path)?.[1] ?? host.pages);
    if (page < host.pages && path === pathOf(host, page))
      return { what: 'page', host, page, isWrongScheme: isHttps(host, page) !== isAsked };
    const asset = Number(ASSET.exec(path)?.[1] ?? ASSETS.length);
    if (asset < ASSETS.length && url === assetUrl(host, asset)) return { what: 'asset', host, asset };
    const [hopPage = host.pages, hop = 0] = HOP.exec(path)?.slice(1).map(Number) ?? [];
    if (hop > 0 && hopPage < host.pages && url === hopUrl(host, hopPage, hop))
      return { what: 'hop', host, page: hopPage, hop };
    const next = host.kind === 'trap' ? Number(DAY.exec(path)?.[1] ?? 0) : 0;
    if (next > 0 && url === dayUrl(host, next - 1)) return { what: 'day', host, day: next - 1 };
    const alias = shape.canonicalShare ? findAlias(path) : undefined;
    if (alias && url === aliasUrl(host, alias)) return { what: 'alias', host, of: alias };
    const part = shape.scriptedShare ? PART.exec(path)?.[1] : undefined;
    if (part !== undefined) return { what: 'part', host, name: part };
    const change = shape.changeShare ? findChange(host, path) : undefined;
    if (change && url === changeUrl(host, change)) return { what: 'change', host, of: change };
    const list = lists.find(url);
    if (list) return { what: 'list', host, list };
    return url === sitemapUrl(host) ? { what: 'sitemap', host } : { what: 'nothing', host };
  }

  function findAlias(path: string): Alias | undefined {
    const [number, page, kind] = ALIAS.exec(path)?.slice(1) ?? [];
    if (kind === undefined || Number(number) >= hosts.count) return undefined;
    const host = hosts.of(Number(number));
    return Number(page) < host.pages ? { host, page: Number(page), kind: kind as Alias['kind'] } : undefined;
  }

  function findRules(key: string, url: string): Place {
    const host = hosts.byKey(RULES_HOST.exec(key)?.[1] ?? '');
    if (host !== undefined && url === robotsTarget(host))
      return { what: 'robots', host, server: host, isFirst: false };
    return { what: 'noHost', refused: false };
  }

  return {
    pageUrl,
    hopUrl,
    dayUrl,
    assetUrl,
    aliasUrl,
    changeUrl,
    partUrl,
    sitemapUrl,
    lists,
    robotsTarget,
    rulesOf,
    find: cached(4096, find),
  };
}

function dayPath(day: number): string {
  const date = new Date(CALENDAR_FROM + day * DAY_MS);
  return `/cal/${date.getUTCFullYear()}/${date.getUTCMonth() + 1}/${date.getUTCDate()}?next=${day + 1}`;
}

/** A URL on a host of no name. */
export const nowhere = (number: number): string => `http://nowhere-${number}.${DOMAIN}/`;
