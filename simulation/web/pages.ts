/** The properties of a page: its type, whether it fails, where it redirects to. All follow from its place. */
import { lazy } from '../../shared/core/base/lazy.ts';
import type { Harm } from '../worlds/spec.ts';
import { type Chance, DRAW } from './chance.ts';
import type { Hosts, WebHost } from './hosts.ts';
import { nowhere, type Place, type Places } from './places.ts';
import type { WebShape } from './shape.ts';

export type PageType =
  | 'html'
  | 'large'
  | 'text'
  | 'image'
  | 'empty'
  | 'noContent'
  | 'missing'
  | 'gone'
  | 'redirect';

/** How single pages fail, and how often before they succeed. */
export interface PageTrouble {
  readonly times: number;
  readonly how: 'status500' | 'status503' | 'reset' | 'cut';
}

export interface Redirect {
  readonly status: number;
  /** The Location header, if the response has one. */
  readonly location?: string;
  /** That in canonical form, where it is a URL that can be crawled. */
  readonly target?: string;
}

export interface Pages {
  typeOf(host: WebHost, page: number): PageType;
  /** Whether HTML with links is served there, if nothing is in the way. */
  isHtml(place: Place & { readonly what: 'page' }): boolean;
  troubleOf(host: WebHost, page: number): PageTrouble | undefined;
  /** Returns the harm that the page does to the process that parses it. */
  harmOf(host: WebHost, page: number): Harm | undefined;
  /** Whether a page that does not exist stands there: also one that pages link to. */
  isMissing(place: Place): boolean;
  /** Where everything at that place redirects to, if it does. */
  redirectOf(place: Place): Redirect | undefined;
  /** Pages that are reached by this one: a tree below page 0, in which all but leaves are HTML. */
  childrenOf(host: WebHost, page: number): { readonly from: number; readonly count: number };
}

const LEAF_TYPES: readonly (readonly [type: PageType, share: number])[] = [
  ['text', 0.03],
  ['image', 0.03],
  ['empty', 0.02],
  ['noContent', 0.01],
  ['missing', 0.03],
  ['gone', 0.02],
  ['large', 0.02],
  ['redirect', 0.04],
];
const MOVING_SHARE = 0.6;
const FLAKY_SHARE = 0.5;
const HARMFUL_SHARE = 0.4;
/** More than a crawler follows. */
const MAX_HOPS = 12;
const STATUSES = [301, 302, 303, 307, 308];
const TROUBLES = ['status500', 'status503', 'reset', 'cut'] as const;

export function createPages(shape: WebShape, hosts: Hosts, places: Places, chance: Chance): Pages {
  const arity = Math.max(2, Math.round((shape.linksPerPage * shape.sameHostShare) / 2));

  function childrenOf(host: WebHost, page: number): { from: number; count: number } {
    // The root of a moving host may redirect to page 1, so all the others are below that.
    const shift = host.kind === 'moving' ? 1 : 0;
    const from = page < shift ? 1 : arity * (page - shift) + 1 + shift;
    const most = page < shift ? 1 : arity;
    return { from, count: Math.max(0, Math.min(most, host.pages - from)) };
  }

  const isLeaf = (host: WebHost, page: number): boolean => page > 0 && childrenOf(host, page).count === 0;

  function typeOf(host: WebHost, page: number): PageType {
    if (shape.plain) return 'html';
    let at = chance.at(DRAW.page, host.number, page);
    if (host.kind === 'moving') {
      const mayMove = page === 0 ? host.pages > 1 : isLeaf(host, page);
      if (mayMove && at < MOVING_SHARE) return 'redirect';
    }
    if (host.kind === 'relocated' && page === 0 && nextOf(host) !== host) return 'redirect';
    if (!isLeaf(host, page)) return 'html';
    for (const [type, share] of LEAF_TYPES) {
      at -= share;
      if (at < 0) return type;
    }
    return 'html';
  }

  function troubleOf(host: WebHost, page: number): PageTrouble | undefined {
    if (host.kind !== 'flaky') return undefined;
    const at = chance.at(DRAW.trouble, host.number, page);
    if (at >= FLAKY_SHARE) return undefined;
    const how = TROUBLES[Math.floor((at / FLAKY_SHARE) * TROUBLES.length)] as PageTrouble['how'];
    const times = 1 + Math.floor(chance.at(DRAW.trouble, host.number, page, 1) * 3);
    // Three times is forever: a page that never comes hides those below it.
    return { how, times: times < 3 ? times : isLeaf(host, page) ? Number.POSITIVE_INFINITY : 1 };
  }

  const isHtmlLeaf = (host: WebHost, page: number) => isLeaf(host, page) && typeOf(host, page) === 'html';

  /** The leaf of the host that kills its worker, if one is to do so. */
  const poisonPage = lazy(() => {
    const { pages = 0, from = 0 } = shape.poison ?? {};
    const host = hosts.of(0);
    const order = Array.from({ length: pages }, (_, i) => (from + i) % pages);
    return order.find((page) => isHtmlLeaf(host, page));
  });

  function harmOf(host: WebHost, page: number): Harm | undefined {
    if (shape.poison) return host.number === 0 && page === poisonPage() ? 'kills' : undefined;
    if (host.kind !== 'poisonous' || !isHtmlLeaf(host, page)) return undefined;
    const at = chance.at(DRAW.harm, host.number, page);
    if (at >= HARMFUL_SHARE) return undefined;
    return at < HARMFUL_SHARE / 2 ? 'kills' : 'blocks';
  }

  const nextOf = ({ number }: WebHost): WebHost => hosts.of((number + 1) % hosts.count);

  const to = (target: string, status = 301): Redirect => ({ status, target, location: target });

  /** Where a page of the type redirects to: `ways` of going there. */
  function pageRedirect(host: WebHost, page: number): Redirect {
    const random = chance.stream(DRAW.redirect, host.number, page);
    const status = STATUSES[Math.floor(random() * STATUSES.length)] as number;
    if (page === 0)
      return to(
        host.kind === 'relocated' ? places.pageUrl(nextOf(host), 0) : places.pageUrl(host, 1),
        status,
      );
    const way = Math.floor(random() * 8);
    const somewhere = (in_: WebHost) => places.pageUrl(in_, Math.floor(random() * in_.pages));
    if (way === 0) return to(places.hopUrl(host, page, 1), status);
    if (way === 1)
      return to(random() < 0.5 ? places.pageUrl(host, page) : places.hopUrl(host, page, 1), status);
    if (way === 2) return to(somewhere(hosts.linked(random())), status);
    if (way === 3) return to(nowhere(host.number), status);
    if (way === 4) return random() < 0.5 ? { status } : { status, location: 'ftp://files.sim.test/a' };
    const target = somewhere(host);
    return way === 5 ? relative(target, host, page, status) : to(target, status);
  }

  /**
   * To the same host by path alone, where the scheme is the same; with a fragment, which is no part of it.
   */
  function relative(target: string, host: WebHost, page: number, status: number): Redirect {
    const own = places.pageUrl(host, page);
    const site = own.slice(0, own.indexOf('/', 8));
    const isSame = target.startsWith(`${site}/`);
    return { status, target, location: `${isSame ? target.slice(site.length) : target}#top` };
  }

  /** A page's chain has as many hops as chance says; its loop has one, and leads back. */
  function hopRedirect(host: WebHost, page: number, hop: number): Redirect | undefined {
    if (page === 0 || typeOf(host, page) !== 'redirect') return undefined;
    const first = pageRedirect(host, page);
    if (first.target !== places.hopUrl(host, page, 1)) return undefined;
    const at = chance.at(DRAW.redirect, host.number, page, 1);
    const isLoop = at < 0.3;
    const hops = isLoop ? 1 : 1 + Math.floor(((at - 0.3) / 0.7) * MAX_HOPS);
    if (hop > hops) return undefined;
    if (hop < hops) return to(places.hopUrl(host, page, hop + 1), first.status);
    return to(places.pageUrl(host, isLoop ? page : 0), first.status);
  }

  return {
    typeOf,
    isHtml: ({ host, page, isWrongScheme }) =>
      !isWrongScheme && ['html', 'large'].includes(typeOf(host, page)),
    troubleOf,
    harmOf,
    childrenOf,
    isMissing: (place) =>
      place.what === 'nothing' || (place.what === 'page' && typeOf(place.host, place.page) === 'missing'),
    redirectOf(place) {
      if (place.what === 'list') {
        const { kind, entries } = place.list;
        return kind === 'moved' && entries[0] ? to(entries[0].url) : undefined;
      }
      if (place.what === 'alias')
        return place.of.kind === 'back' ? to(places.pageUrl(place.of.host, place.of.page)) : undefined;
      if (place.what === 'change')
        return place.of.isOpener
          ? to(places.changeUrl(place.host, { ...place.of, isOpener: false }), 302)
          : undefined;
      if (place.what === 'hop') return hopRedirect(place.host, place.page, place.hop);
      if (place.what !== 'page') return undefined;
      const { host, page } = place;
      if (place.isWrongScheme) return to(places.pageUrl(host, page));
      return typeOf(host, page) === 'redirect' ? pageRedirect(host, page) : undefined;
    },
  };
}
