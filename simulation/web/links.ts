/**
 * The links of a page, as canonical URLs, in their order. How they are written is another matter
 * (`spelling.ts`).
 */
import type { Random } from '../models/random.ts';
import type { Assets, AssetsOf } from './assets.ts';
import { DRAW } from './chance.ts';
import { changeLinkedBy } from './change-links.ts';
import { isSteady, type WebHost } from './hosts.ts';
import { SIGN_OUT_PATH } from './member-plan.ts';
import type { Members } from './members.ts';
import { nowhere, type Place } from './places.ts';
import { listedPages } from './sitemaps.ts';

export interface Links {
  /** Each once. None for what is no HTML page. */
  of(place: Place): readonly string[];
  /** URLs from which all the web is reached. */
  seeds(): string[];
}

/** Hosts below a host, in the tree by which all hosts are found. */
const HOST_ARITY = 4;
const ODD_LINKS = 0.03;
const WRONG_SCHEME = 0.15;
const DAYS_AHEAD = [1, 7, 30];

/** People link to the scheme they know. */
function perhapsWrong(host: WebHost, url: string, random: Random): string {
  if (host.scheme !== 'either' || random() >= WRONG_SCHEME) return url;
  return url.startsWith('https:') ? `http${url.slice(5)}` : `https${url.slice(4)}`;
}

/** To what is not there, or to the page itself. */
function oddUrl(root: string, page: string, random: Random): string {
  const way = Math.floor(random() * 3);
  if (way === 0) return `${root}missing/${Math.floor(random() * 100)}`;
  return way === 1 ? nowhere(Math.floor(random() * 10)) : page;
}

export interface LinksOf extends AssetsOf {
  readonly assets: Assets;
  readonly members: Pick<Members, 'has'>;
}

export function createLinks({ shape, hosts, places, pages, assets, members, chance }: LinksOf): Links {
  const somePage = (host: WebHost, random: Random) => places.pageUrl(host, Math.floor(random() * host.pages));

  function ofPage(host: WebHost, page: number): Set<string> {
    const random = chance.stream(DRAW.links, host.number, page);
    const urls = new Set<string>();
    const wanted = Math.round(random() * 2 * shape.linksPerPage);
    if (hosts.popular) urls.add(somePage(hosts.popular, random));
    const children = pages.childrenOf(host, page);
    for (let i = 0; i < children.count; i++) urls.add(places.pageUrl(host, children.from + i));
    if (page === 0) {
      const sitemap = places.sitemapUrl(host);
      if (sitemap !== undefined) urls.add(sitemap);
      if (host.kind === 'trap') urls.add(places.dayUrl(host, 0));
      if (isSteady(host)) for (const below of hostsBelow(host)) urls.add(places.pageUrl(below, 0));
    }
    for (let i = urls.size; i < wanted; i++) {
      const isOwn = random() < shape.sameHostShare;
      if (!shape.plain && random() < ODD_LINKS)
        urls.add(oddUrl(places.pageUrl(host, 0), places.pageUrl(host, page), random));
      else if (!isOwn) urls.add(somePage(hosts.linked(random()), random));
      else urls.add(perhapsWrong(host, somePage(host, random), random));
    }
    const asset = assets.linkedBy(host, page);
    if (asset !== undefined) urls.add(asset);
    const feed = places.lists.feedOf(host, page);
    if (feed) urls.add(feed.url);
    const change = changeLinkedBy(shape, chance, host, page);
    if (change) urls.add(places.changeUrl(host, change));
    if (members.has(host)) urls.add(new URL(SIGN_OUT_PATH, places.pageUrl(host, page)).href);
    return urls;
  }

  function hostsBelow({ number }: WebHost): WebHost[] {
    if (number >= shape.hosts) return [];
    const from = HOST_ARITY * number + 1;
    const count = Math.max(0, Math.min(HOST_ARITY, shape.hosts - from));
    return Array.from({ length: count }, (_, i) => hosts.of(from + i));
  }

  function ofDay(host: WebHost, day: number): string[] {
    return [places.pageUrl(host, 0), ...DAYS_AHEAD.map((days) => places.dayUrl(host, day + days))];
  }

  function isFound(host: WebHost): boolean {
    if (host.number >= shape.hosts) return host === hosts.popular;
    return host.number > 0 && isSteady(hosts.of(Math.floor((host.number - 1) / HOST_ARITY)));
  }

  return {
    of(place) {
      if (place.what === 'sitemap')
        return listedPages(place.host).map((page) => places.pageUrl(place.host, page));
      if (place.what === 'list')
        return place.list.kind === 'moved' ? [] : place.list.entries.map(({ url }) => url);
      if (place.what === 'day') return ofDay(place.host, place.day);
      return place.what === 'page' && pages.isHtml(place) ? [...ofPage(place.host, place.page)] : [];
    },
    seeds() {
      // Half of a small web's hosts are seeds besides, so that worlds begin in many places.
      const isSeed = (number: number): boolean =>
        number < (shape.seedHosts ?? 0) ||
        !isFound(hosts.of(number)) ||
        (shape.seedHosts === undefined && hosts.count <= 64 && chance.at(DRAW.seeds, number) < 0.5);
      const urls: string[] = [];
      for (let number = 0; number < hosts.count; number++)
        if (isSeed(number)) urls.push(places.pageUrl(hosts.of(number), 0));
      return urls;
    },
  };
}
