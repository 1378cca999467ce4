/** The canonical URLs that pages name: of pages that are there, of none, and of redirects that lead back. */
import type { Random } from '../models/random.ts';
import { type Chance, DRAW } from './chance.ts';
import type { Hosts, WebHost } from './hosts.ts';
import { nowhere, type Places } from './places.ts';
import type { WebShape } from './shape.ts';

export interface Canonicals {
  /** The URL that the page names, as it is to be written; undefined: none. Only what is HTML is asked for. */
  of(host: WebHost, page: number): string | undefined;
}

export interface CanonicalsOf {
  readonly shape: Pick<WebShape, 'canonicalShare'>;
  readonly hosts: Hosts;
  readonly places: Places;
  readonly chance: Chance;
}

/** Pages of a host, one after the other, that may name each other. */
const GROUP = 3;
/** Shares of groups: in a circle of three, and in a pair. */
const CIRCLES = 0.12;
const PAIRS = 0.3;
/** Several pages name one URL that is no page. */
const MISSING = 4;

export function createCanonicals({ shape, hosts, places, chance }: CanonicalsOf): Canonicals {
  const { canonicalShare = 0 } = shape;

  /** Pages that name each other. */
  function inGroup(host: WebHost, page: number): number | undefined {
    const first = page - (page % GROUP);
    if (first + GROUP > host.pages) return undefined;
    const way = chance.at(DRAW.canonical, host.number, -1 - first);
    if (way < CIRCLES) return first + ((page - first + 1) % GROUP);
    if (way >= PAIRS || page === first) return undefined;
    return page === first + 1 ? first + 2 : first + 1;
  }

  const somePage = (host: WebHost, random: Random) => places.pageUrl(host, Math.floor(random() * host.pages));

  function drawn(host: WebHost, page: number, random: Random): string {
    const way = Math.floor(random() * 20);
    const root = places.pageUrl(host, 0);
    const few = Math.floor(random() * MISSING);
    const owner = few % host.pages;
    const other = hosts.linked(random());
    if (way < 5) return somePage(host, random);
    if (way < 7) return places.pageUrl(host, page);
    if (way < 9) return `${root}missing/canonical-${few}`;
    if (way < 10) return `${root}private/canonical-${few}.html`;
    if (way < 12) return places.aliasUrl(host, { host, page, kind: 'back' });
    // Where pages are at either scheme, the wrong one leads back.
    if (way < 13 && host.scheme === 'either') return otherScheme(places.pageUrl(host, page));
    if (way < 14) return places.aliasUrl(host, { host, page: owner, kind: 'back' });
    if (way < 15) return places.aliasUrl(host, { host, page: owner, kind: 'gone' });
    if (way < 16) return places.aliasUrl(host, { host, page: owner, kind: 'failing' });
    if (way < 17) return somePage(other, random);
    if (way < 19) return places.aliasUrl(other, { host, page, kind: 'back' });
    return random() < 0.5 ? nowhere(host.number) : 'ftp://files.sim.test/canonical';
  }

  return {
    of(host, page) {
      if (canonicalShare === 0) return undefined;
      const partner = inGroup(host, page);
      if (partner !== undefined) return places.pageUrl(host, partner);
      const random = chance.stream(DRAW.canonical, host.number, page);
      return random() < canonicalShare ? drawn(host, page, random) : undefined;
    },
  };
}

const otherScheme = (url: string): string =>
  url.startsWith('https:') ? `http${url.slice(5)}` : `https${url.slice(4)}`;
