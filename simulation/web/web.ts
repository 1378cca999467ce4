/**
 * The simulated web: hosts, pages and their links follow from a seed, by hash, so that nothing of a host is
 * kept before it is visited, and next to nothing after. It knows nothing of the crawler: URLs are made
 * canonical and then written in many ways, robots rules are drawn and then written down.
 */

import type { FetchRequest } from '../../shared/core/outcome/fetch-request.ts';
import {
  fetchedUrl,
  isOwnRequest,
  isSentAlong,
  ownRequest,
  redirectedRequest,
} from '../../shared/core/url/request-url.ts';
import { createOwnHeaders, type OwnHeaderOptions } from '../../shared/crawler/fetcher/own-headers.ts';
import { mergeHeaders, withOwnCookies } from '../../shared/crawler/fetcher/request-headers.ts';
import type { CallFaults } from '../models/call-faults.ts';
import type { Faults } from '../models/faults.ts';
import type { Trace } from '../models/trace.ts';
import type { VirtualTime } from '../models/virtual-time.ts';
import type { PartRequest, SimWeb, WebRequest } from '../worlds/spec.ts';
import { createAnswerer } from './answers.ts';
import { createAtlas } from './atlas.ts';
import { type Exchange, planExchange } from './exchange.ts';
import { createSimFetcher, type OpenExchange } from './fetcher.ts';
import { wordsIn } from './locks.ts';
import { memberRequestOf, showsSign } from './members.ts';
import { createMishaps } from './mishaps.ts';
import { nameOf, recognized } from './own-requests.ts';
import type { Place } from './places.ts';
import type { Responded } from './responses.ts';
import type { WebShape } from './shape.ts';

export interface SimWebOptions {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly calls?: CallFaults;
  readonly trace?: Trace;
  readonly shape: WebShape;
  /** Whether `log` is kept; it is unless this says no. */
  readonly keepLog?: boolean;
  /**
   * Called as a request reaches the server. What is known then is how it will end; should the client go away
   * before that, the same object says so afterwards.
   */
  readonly onRequest?: (request: WebRequest) => void;
}

/** The share of given URLs that exist. */
const THERE = 0.9;

export function createSimWeb(options: SimWebOptions): SimWeb {
  const { seed, time, faults, trace, shape, keepLog = true, onRequest } = options;
  const atlas = createAtlas(seed, shape);
  const { hosts, places, pages, assets, links, canonicals, rules, usage, members, locks, scripts } = atlas;
  const answer = createAnswerer(atlas);
  const mishaps = createMishaps(faults, time.now);
  const beganAt = time.now();
  const log: WebRequest[] = [];
  const parts: PartRequest[] = [];
  let seeds: readonly string[] | undefined;

  const addressAt = (host: string): string => {
    const number = hosts.byKey(host)?.number ?? 0;
    return addressOf(shape.addresses === undefined ? number : number % shape.addresses);
  };

  function open(
    { process, contact, isOther }: Pick<WebRequest, 'process' | 'contact'> & { readonly isOther: boolean },
    totalTimeoutMs: number,
    request: FetchRequest,
    /** With those of the operator. */
    headers: FetchRequest['headers'],
  ): OpenExchange {
    const { url, maxBodyBytes } = request;
    const startedAt = time.now();
    const host = hostOf(url);
    const place = places.find(url);
    const asked = { ...request, headers, contact, age: startedAt - beganAt, at: startedAt };
    const answered = mishaps(host, answer(place, asked));
    const exchange = planExchange(answered, startedAt, startedAt + totalTimeoutMs, maxBodyBytes);
    const words = shape.lockedShare ? wordsIn(asked) : [];
    const entry: Mutable<WebRequest> = {
      url: recognized(request),
      host,
      isRobots: place.what === 'robots' || url.endsWith('/robots.txt'),
      startedAt,
      endedAt: exchange.endedAt,
      process,
      ...(shape.addresses !== undefined && hosts.byKey(host) && { address: addressAt(host) }),
      ...(contact !== undefined && { contact }),
      ...(words.length > 0 && { words }),
      ...memberOf(request, place),
      ...served(exchange),
      ...(shape.members && exchange.kind === 'response' && showsSign(exchange) && { showsSign: true }),
    };
    if (keepLog) {
      if (isOther || place.what === 'part') parts.push(Object.assign(entry, { isOther }));
      else log.push(entry);
    }
    trace?.({ process, host, what: `GET ${url}: ${summary(exchange)}` });
    onRequest?.(entry);
    return {
      exchange,
      abandon() {
        entry.endedAt = time.now();
        for (const key of OF_ANSWERS) delete entry[key];
        entry.failure = 'aborted';
        trace?.({ process, host, what: `GET ${url}: abandoned` });
      },
    };
  }

  /** Requests of a login are known by their URLs, also if they fail. */
  function memberOf({ url, method }: FetchRequest, place: Place): Pick<WebRequest, 'member'> {
    const isMember = place.what !== 'noHost' && members.has(place.host);
    const member = isMember ? memberRequestOf(url, method) : undefined;
    return member ? { member } : {};
  }

  return {
    get memberHosts() {
      const all = Array.from({ length: shape.members ? hosts.count : 0 }, (_, number) => hosts.of(number));
      return all.filter(members.has).map(({ key }) => key);
    },
    get lockedHosts() {
      const all = Array.from({ length: shape.lockedShare ? hosts.count : 0 }, (_, number) =>
        hosts.of(number),
      );
      return all.filter(locks.has).map(({ key }) => key);
    },
    keysOf: (keys) => locks.keysOf(keys.flatMap((key) => hosts.byKey(key) ?? [])),
    get seeds() {
      seeds ??= links.seeds();
      return seeds;
    },
    log,
    parts,
    fetcherOf(process, config, { isOther = false } = {}) {
      const { totalTimeoutMs, userAgent, contact } = config;
      const by = { process: process.name, contact, isOther };
      const withOwn = ownHeadersOf(config, process.clock.now);
      return {
        ...createSimFetcher({
          process,
          time,
          userAgent,
          calls: options.calls,
          open: (request) => open(by, totalTimeoutMs, request, withOwn(request)),
          addressOf: (url) => addressAt(hostOf(url)),
        }),
        addressesOf: async (host) => (hosts.byKey(host) === undefined ? [] : [addressAt(host)]),
      };
    },
    partsOf: (url) => scripts.partsOf(places.find(fetchedUrl(url))),
    drawnOf: (url) => answer.drawn(url, places.find(fetchedUrl(url))),
    isScripted: (url) => scripts.isScripted(places.find(fetchedUrl(url))),
    linksOf(url) {
      const place = places.find(fetchedUrl(url));
      return [...links.of(place), ...(isOwnRequest(url) ? [] : scripts.routesOf(place))];
    },
    requisitesOf: (url) => assets.of(places.find(fetchedUrl(url))),
    canonicalOf(url) {
      if (!shape.canonicalShare) return undefined;
      const place = places.find(fetchedUrl(url));
      if (place.what !== 'page' || !pages.isHtml(place)) return undefined;
      const named = canonicals.of(place.host, place.page);
      return named?.startsWith('http') ? named : undefined;
    },
    someUrl(random, at) {
      const host =
        hosts.byKey(at === undefined ? '' : hostOf(at)) ?? hosts.of(Math.floor(random() * hosts.count));
      const isThere = random() < THERE;
      return isThere
        ? places.pageUrl(host, Math.floor(random() * host.pages))
        : `${places.pageUrl(host, 0)}missing/x`;
    },
    someChange(random) {
      if (!shape.changeShare) return undefined;
      const host = hosts.of(Math.floor(random() * hosts.count));
      const page = Math.floor(random() * host.pages);
      return places.changeUrl(host, { page, isOpener: random() < 0.3 });
    },
    isChange(url) {
      const place = places.find(fetchedUrl(url));
      return place.what === 'change' && !place.of.isOpener;
    },
    isDated: (url) => places.find(fetchedUrl(url)).what === 'sitemap',
    isAlternateFeed(url) {
      const place = places.find(fetchedUrl(url));
      const feed = place.what === 'list' ? places.lists.feedOf(place.host, 0) : undefined;
      return feed?.isAlternate === true && feed.url === url;
    },
    isIndex(url) {
      const place = places.find(fetchedUrl(url));
      return place.what === 'list' && place.list.kind === 'index';
    },
    priorityIn(sitemap, url) {
      const place = places.find(sitemap);
      return place.what === 'list'
        ? place.list.entries.find((entry) => entry.url === url)?.priority
        : undefined;
    },
    modifiedIn(sitemap, url) {
      const place = places.find(sitemap);
      return place.what === 'list'
        ? place.list.entries.find((entry) => entry.url === url)?.modifiedAt
        : undefined;
    },
    someSitemap(random) {
      const host = hosts.of(Math.floor(random() * hosts.count));
      const named = places.lists.namedBy(host);
      const own = places.sitemapUrl(host) ?? `${places.pageUrl(host, 0)}maps/none.xml`;
      return named[Math.floor(random() * named.length)] ?? own;
    },
    sitemapsNamedIn(url) {
      const place = places.find(url);
      return place.what === 'robots' ? places.lists.namedBy(place.host) : [];
    },
    isTrap: (url) => places.find(fetchedUrl(url)).what === 'day',
    isMissing: (url) => pages.isMissing(places.find(fetchedUrl(url))),
    harmOf(url) {
      const place = places.find(fetchedUrl(url));
      return place.what === 'page' ? pages.harmOf(place.host, place.page) : undefined;
    },
    redirectOf(name) {
      const url = fetchedUrl(name);
      const place = places.find(url);
      if (place.what === 'robots') return place.isFirst ? places.robotsTarget(place.host) : undefined;
      const { target, status = 0 } = pages.redirectOf(place) ?? {};
      const request = ownRequest(name);
      if (target === undefined || request === undefined) return target;
      const next = redirectedRequest(request, status, isSentAlong(url, target));
      return next && nameOf({ url: target, request: next });
    },
    allows(name, robotsVersion) {
      const url = fetchedUrl(name);
      const host = hosts.byKey(hostOf(url));
      return !host || rules.allows(places.rulesOf(host), robotsVersion, pathOf(url));
    },
    forbidsUse(name, robotsVersion) {
      const url = fetchedUrl(name);
      const host = hosts.byKey(hostOf(url));
      return host !== undefined && rules.forbidsUse(places.rulesOf(host), robotsVersion, pathOf(url));
    },
    reservesUse(name) {
      const url = fetchedUrl(name);
      const place = places.find(url);
      if (place.what !== 'page') return undefined;
      // A page that is missing has no such field, also if its host answers 200 for it.
      if (usage.isInField(place.host, place.page) && !pages.isMissing(place)) return 'inField';
      const path = usage.ofFile(place.host);
      return path !== undefined && pathOf(url).startsWith(path) ? 'inFile' : undefined;
    },
    crawlDelayMs(key, robotsVersion) {
      const host = hosts.byKey(key);
      return host && rules.planOf(places.rulesOf(host), robotsVersion).crawlDelayMs;
    },
  };
}

/** Adds the headers of the operator to those of a request, as the fetcher does. */
function ownHeadersOf(config: OwnHeaderOptions, now: () => number) {
  const ownHeaders = createOwnHeaders(config);
  return ({ url, headers }: FetchRequest): FetchRequest['headers'] => {
    const own = ownHeaders(url, now);
    if (own === undefined) return headers;
    const sent = mergeHeaders([], own, withOwnCookies(own, headers));
    return Object.fromEntries(
      sent.flatMap((name, i) => (i % 2 === 0 ? [[name, sent[i + 1] as string]] : [])),
    );
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the response's part of the log entry. */
function served(exchange: Exchange): Partial<WebRequest> {
  if (exchange.kind === 'failed') return { failure: exchange.isStaleConnection ? 'stale' : exchange.reason };
  const { response, sha1, bytes, truncated } = exchange;
  const { httpStatus, robotsVersion, member } = response;
  const retryAfter = fieldOf(response, 'Retry-After');
  const maxAge = fieldOf(response, 'Cache-Control')?.replace('max-age=', '');
  return {
    httpStatus,
    bytes: bytes.length,
    sha1: Buffer.from(sha1).toString('hex'),
    isCut: truncated !== undefined,
    ...(robotsVersion !== undefined && { robotsVersion }),
    ...refusalIn(response, bytes, truncated !== undefined),
    ...(member && { member }),
    ...(retryAfter !== undefined && { retryAfterMs: 1000 * Number(retryAfter) }),
    ...(maxAge !== undefined && { maxAgeSeconds: Number(maxAge) }),
  };
}

/** If a body did not come whole, the sign in it may be missing; and a page is judged once it is whole. */
function refusalIn(
  { refusal, httpStatus }: Responded,
  bytes: Uint8Array,
  isCut: boolean,
): Pick<WebRequest, 'refusal'> {
  if (refusal === undefined) return {};
  const { kind, isPlain, sign } = refusal;
  const isSeen = sign === undefined || (Buffer.from(bytes).includes(sign) && !(isCut && httpStatus < 300));
  return isSeen ? { refusal: { kind, isPlain } } : {};
}

/** A field as this web writes it. */
const fieldOf = ({ headers }: Pick<Responded, 'headers'>, name: string): string | undefined =>
  headers.find(([field]) => field === name)?.[1];

const OF_ANSWERS = [
  'httpStatus',
  'bytes',
  'sha1',
  'isCut',
  'robotsVersion',
  'retryAfterMs',
  'maxAgeSeconds',
  'refusal',
] as const;

function summary(exchange: Exchange): string {
  if (exchange.kind === 'failed') return `fails (${exchange.reason})`;
  const { response, bytes, truncated } = exchange;
  return `${response.httpStatus}, ${bytes.length} bytes${truncated ? `, cut (${truncated})` : ''}`;
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', 8));

function hostOf(url: string): string {
  const from = url.indexOf('//') + 2;
  return url.slice(from, url.indexOf('/', from));
}

/** An address of 10.0.0.0/8. */
const addressOf = (number: number): string =>
  `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
