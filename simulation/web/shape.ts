/** The shape of a simulated web: its size, the number of its links, and the kinds of its hosts. */
import { between, pick, randomOf } from '../models/random.ts';
import type { MembersPlan } from './member-plan.ts';

/**
 * Kinds of hosts, how many of each there are beside the others, and whether the root of one can be counted
 * on.
 */
export const HOST_KINDS = {
  /** Answers as it should; now and then a page of another type, a dead link, a redirect. */
  ordinary: { weight: 8, isSteady: true },
  /** Takes seconds to answer. */
  slow: { weight: 1, isSteady: true },
  /** Answers nothing well for some time from the beginning: 503 with Retry-After, 500, resets, time-outs. */
  failing: { weight: 1, isSteady: false },
  /** The same forever. */
  broken: { weight: 0.5, isSteady: false },
  /** Single pages fail: once or twice, or forever. */
  flaky: { weight: 2, isSteady: true },
  /** Takes no connections. */
  dead: { weight: 0.5, isSteady: false },
  /** Its name does not resolve; or not for some time from the beginning. */
  nameless: { weight: 0.5, isSteady: false },
  unresolved: { weight: 0.5, isSteady: false },
  /** Many pages redirect: to the same host, to others, in chains, in loops, to nowhere. */
  moving: { weight: 2, isSteady: false },
  /** Has moved to the next host: its root, which is all that is left of it, redirects to that one's. */
  relocated: { weight: 0.7, isSteady: false },
  /**
   * robots.txt: forbids some paths; all but some; asks for a delay; can't be had for some time; is elsewhere.
   */
  forbidding: { weight: 2, isSteady: true },
  closed: { weight: 0.5, isSteady: false },
  delaying: { weight: 1, isSteady: true },
  robotsFailing: { weight: 1, isSteady: false },
  robotsMoved: { weight: 1, isSteady: true },
  /** On a host of its own, which serves nothing else. */
  robotsElsewhere: { weight: 0.5, isSteady: true },
  /** On another host that is crawled too; of half of them it is that host's own robots.txt. */
  robotsAtNeighbour: { weight: 1, isSteady: true },
  /** Its rules change every while. */
  robotsChanging: { weight: 1, isSteady: true },
  /** Some of its pages kill the process that parses them, or block the thread. */
  poisonous: { weight: 0.5, isSteady: true },
  /** A calendar without end. */
  trap: { weight: 0.5, isSteady: true },
} as const satisfies Record<string, { readonly weight: number; readonly isSteady: boolean }>;

export type HostKind = keyof typeof HOST_KINDS;
export const HOST_KIND_NAMES = Object.keys(HOST_KINDS) as readonly HostKind[];

export interface WebShape {
  readonly hosts: number;
  /** The most pages of a host. Sizes are Zipf-like: most hosts have few. */
  readonly maxPages: number;
  /** The least. Default: 1. */
  readonly minPages?: number;
  /** Mean, of an HTML page. */
  readonly linksPerPage: number;
  /** The share of links to the page's own host. Most others go to a few hosts (Zipf). */
  readonly sameHostShare: number;
  /** Requisites of an HTML page, mean. Default: none. */
  readonly assetsPerPage?: number;
  /** One is a host's median. */
  readonly responseMs: readonly number[];
  /** Only these kinds of hosts. */
  readonly kinds?: readonly HostKind[];
  /** The first host has this number of pages, and of all pages of the web one of its leaves kills its worker: one from `from` on. */
  readonly poison?: { readonly pages: number; readonly from: number } | undefined;
  /** Ordinary hosts with nothing odd about them. */
  readonly plain?: boolean;
  /** One host more, to which every page links. Its number is `hosts`. */
  readonly popularHost?: boolean;
  /** One host more, slow and large. Its number is the last. */
  readonly hugeHost?: { readonly pages: number; readonly responseMs: number };
  /** Pages change, and hosts send validators. Default: neither. */
  readonly changes?: boolean;
  /** Pages vanish, and hosts are away for hours; or most hosts answer 404 for all pages then. Default: neither. */
  readonly vanishes?: 'pages' | 'hosts';
  /** The share of hosts that answer 200 for pages that do not exist. Default: none. */
  readonly softShare?: number;
  /** The share of hosts that refuse the crawler. Default: none. */
  readonly refusingShare?: number;
  /** Hosts behind a login. Default: none. */
  readonly members?: MembersPlan | undefined;
  /** The share of hosts behind a password, cookie or header of the operator. Default: none. */
  readonly lockedShare?: number;
  /** The share of HTML pages that link to something that a request changes. Default: none. */
  readonly changeShare?: number;
  /** The share of HTML pages that scripts fill: without a browser they have no links. Default: none. */
  readonly scriptedShare?: number;
  /** Pages of HTML have a long text, which some have in common. */
  readonly hasCopies?: boolean;
  /** The share of hosts that state what their pages may be used for. Default: none. */
  readonly usageShare?: number;
  /** The share of hosts whose robots.txt names sitemaps, and of those that have a feed. Default: none. */
  readonly namedShare?: number;
  readonly feedShare?: number;
  /** Half of the entries of such sitemaps say when they were modified. */
  readonly hasDates?: boolean;
  /** The share of HTML pages that name a canonical URL. Default: none. */
  readonly canonicalShare?: number;
  /** A page is filled up to about this size. */
  readonly bodyBytes?: number;
  /** The number of registrable domains: hosts are of one after the other. Default: 1. */
  readonly domains?: number;
  /** Hosts share this number of IP addresses, one after the other. Default: each has its own. */
  readonly addresses?: number | undefined;
  /** The number of first hosts that are seeds (for 0: only hosts without links to them). */
  readonly seedHosts?: number;
}

/** The share of worlds whose pages have requisites. */
const WITH_ASSETS = 0.35;
/** The share of worlds in which some hosts answer 200 for pages that do not exist. */
const WITH_SOFT = 0.4;
/** Worlds whose pages have long texts. */
const WITH_COPIES = 0.25;

/** The share of worlds in which hosts refuse the crawler. */
const WITH_REFUSALS = 0.05;

/** The share of the world's hosts that refuse the crawler. */
export const refusingShareOf = (seed: number, isCertain = false): number =>
  isCertain || randomOf(seed, 'refusals')() < WITH_REFUSALS ? 0.6 : 0;

/** The share of worlds with hosts behind a password. */
const WITH_LOCKS = 0.05;

/** The share of the world's hosts that are behind a password. */
export const lockedShareOf = (seed: number, isCertain = false): number =>
  isCertain || randomOf(seed, 'locked hosts')() < WITH_LOCKS ? 0.6 : 0;

/** The share of worlds in which scripts fill pages. */
const WITH_SCRIPTS = 0.06;

/** The share of the world's HTML pages that scripts fill. */
export const scriptedShareOf = (seed: number, isCertain = false): number =>
  isCertain || randomOf(seed, 'scripted pages')() < WITH_SCRIPTS ? 0.5 : 0;

/** The share of worlds in which hosts state what their pages may be used for. */
const WITH_USAGE = 0.15;

/** The share of the world's hosts that state what their pages may be used for. */
export const usageShareOf = (seed: number): number => (randomOf(seed, 'usage')() < WITH_USAGE ? 0.6 : 0);

/** The share of worlds in which robots.txt names sitemaps, and of those with feeds. */
const WITH_NAMED = 0.35;
const WITH_FEEDS = 0.3;

/** The share of worlds in which sitemaps are named, and have times of changes. */
const WITH_DATES = 0.25;

/** Whether the sitemaps that the world's robots.txt files name say when pages were modified. */
export const hasDatesOf = (seed: number): boolean => randomOf(seed, 'dated sitemaps')() < WITH_DATES;

/** The share of worlds in which pages name canonical URLs. */
const WITH_CANONICALS = 0.1;

/** The share of the world's HTML pages that name a canonical URL. */
export const canonicalShareOf = (seed: number): number =>
  randomOf(seed, 'canonical links')() < WITH_CANONICALS ? 0.5 : 0;

/** The share of the world's hosts whose robots.txt names sitemaps. */
export const namedShareOf = (seed: number): number =>
  randomOf(seed, 'named sitemaps')() < WITH_NAMED ? 0.6 : 0;

/** The share of the world's hosts that have a feed. */
export const feedShareOf = (seed: number): number => (randomOf(seed, 'feeds')() < WITH_FEEDS ? 0.5 : 0);

/** Whether the pages of the world's web have requisites. */
export const hasAssets = (seed: number): boolean => randomOf(seed, 'assets')() < WITH_ASSETS;

/** The share of worlds whose hosts are of several registrable domains. */
const WITH_DOMAINS = 0.12;

/** How many registrable domains the world's hosts are of. */
export function domainsOf(seed: number): number {
  const random = randomOf(seed, 'domains');
  return random() < WITH_DOMAINS ? between(random, 2, 4) : 1;
}

/** The share of worlds in which one page of a large host kills its worker. */
const WITH_POISON = 0.04;
/** More pages than most turns have. */
const POISON_PAGES = [40, 120] as const;

export function poisonOf(seed: number, isCertain = false): WebShape['poison'] {
  const random = randomOf(seed, 'poison');
  if (random() >= WITH_POISON && !isCertain) return undefined;
  const pages = between(random, ...POISON_PAGES);
  return { pages, from: between(random, 0, pages - 1) };
}

/** The share of worlds whose hosts share IP addresses. */
const WITH_SHARED_ADDRESSES = 0.1;

/** How many IP addresses the world's hosts share; undefined: each host has its own. */
export function addressesOf(seed: number): number | undefined {
  const random = randomOf(seed, 'addresses');
  return random() < WITH_SHARED_ADDRESSES ? between(random, 1, 3) : undefined;
}

/** A small web for a proving world. */
export function shapeOf(seed: number, overrides: Partial<WebShape> = {}): WebShape {
  const random = randomOf(seed, 'shape');
  const assets = randomOf(seed, 'assets of pages');
  const paces = [20, 80, 300, 1200];
  return {
    hosts: between(random, 1, 8),
    maxPages: between(random, 1, 25),
    linksPerPage: between(random, 2, 12),
    sameHostShare: 0.3 + random() * 0.6,
    responseMs: [pick(random, paces), pick(random, paces), pick(random, paces)],
    softShare: randomOf(seed, 'soft 404')() < WITH_SOFT ? 0.5 : 0,
    hasCopies: randomOf(seed, 'copies')() < WITH_COPIES,
    assetsPerPage: hasAssets(seed) ? between(assets, 1, 6) : 0,
    domains: domainsOf(seed),
    addresses: addressesOf(seed),
    usageShare: usageShareOf(seed),
    namedShare: namedShareOf(seed),
    feedShare: feedShareOf(seed),
    hasDates: hasDatesOf(seed),
    canonicalShare: canonicalShareOf(seed),
    ...overrides,
  };
}

/** The kind that lies at `chance` of all, by weight. */
export function kindAt(chance: number, kinds: readonly HostKind[]): HostKind {
  const total = kinds.reduce((sum, kind) => sum + HOST_KINDS[kind].weight, 0);
  let left = chance * total;
  for (const kind of kinds) {
    left -= HOST_KINDS[kind].weight;
    if (left < 0) return kind;
  }
  return kinds.at(-1) ?? 'ordinary';
}
