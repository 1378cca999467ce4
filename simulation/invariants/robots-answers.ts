/** The robots.txt answers that the crawler received, and their times: read from the web's log. */
import { MAX_ROBOTS_REDIRECTS } from '../../shared/core/robots/policy.ts';
import { hostKey, origin } from '../../shared/core/url/host-key.ts';
import { isUsageFile } from '../web/usage.ts';
import type { WebRequest } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';

export interface RobotsAnswer {
  /** When the answer was there, and whose process had asked. */
  readonly at: number;
  /** When it was served, if it existed before this origin redirected to it. */
  readonly servedAt?: number;
  readonly process: string;
  /** The request that brought it: the last one of a chain of redirects. */
  readonly request: WebRequest;
  /**
   * `rules`: a robots.txt, whole; `none`: there is none, so all is allowed; `nothing`: unknown (RFC
   * 9309, section 2.3.1).
   */
  readonly kind: 'rules' | 'none' | 'nothing';
  /** Which of the asking host's versions. */
  readonly version?: number | undefined;
}

export interface RobotsLog {
  /** The answers of an origin, in order. */
  answersOf(origin: string): readonly RobotsAnswer[];
  /** The request asks for robots.txt or a file of reservations beside it, or follows the former's redirect. */
  isOfRobots(request: WebRequest): boolean;
  /** The origin whose robots.txt the request was made for, by itself or by following a redirect. */
  askedFor(request: WebRequest): string | undefined;
}

interface Awaited {
  readonly origin: string;
  readonly redirects: number;
  readonly since: number;
}

const NONE: readonly RobotsAnswer[] = [];

/**
 * A redirect within the host is followed within the turn, and so by the same process within its lease. One to
 * another host is followed by that host's own turn, in any process, perhaps before: what it brings counts for
 * all that redirect there.
 */
export function readRobotsLog({ web, leaseMs }: Pick<Facts, 'web' | 'leaseMs'>): RobotsLog {
  const answers = new Map<string, RobotsAnswer[]>();
  const ofRobots = new Map<WebRequest, string>();
  /**
   * By crawl and URL: origins whose robots.txt redirects there from another host, and after how many
   * redirects.
   */
  const guests = new Map<string, Map<string, number>>();
  /** By crawl and URL: the last response that says something. */
  const served = new Map<string, RobotsAnswer>();
  /** By process, crawl and URL: redirects that wait to be followed. */
  const awaited = new Map<string, Awaited[]>();

  function take(request: WebRequest): Awaited | undefined {
    const waiting = awaited.get(keyOf(request, request.url));
    // The last one: a redirect that was not followed before the next one was met is not followed any more.
    const at = waiting?.findLastIndex(
      ({ since }) => since <= request.startedAt && request.startedAt <= since + leaseMs,
    );
    return at === undefined || at < 0 ? undefined : waiting?.splice(at, 1)[0];
  }

  function answer(from: string, redirects: number, request: WebRequest): void {
    const { url, process, endedAt, robotsVersion } = request;
    const target = web.redirectOf(url);
    const kind = kindOf(request);
    if (kind === 'redirect' && target !== undefined && redirects < MAX_ROBOTS_REDIRECTS) {
      // Until it is followed, which need not happen: the crawl may be paused meanwhile.
      add(from, { at: endedAt, process, request, kind: 'nothing' });
      if (hostKey(target) !== request.host) {
        const key = guestOf(request, target);
        guests.set(key, (guests.get(key) ?? new Map()).set(from, redirects + 1));
        const known = served.get(key);
        if (known) add(from, { ...known, at: Math.max(endedAt, known.at), servedAt: known.at });
        return;
      }
      const key = keyOf(request, target);
      const waiting = awaited.get(key) ?? [];
      awaited.set(key, waiting);
      waiting.push({ origin: from, redirects: redirects + 1, since: endedAt });
    } else if (kind === 'rules') add(from, { at: endedAt, process, request, kind, version: robotsVersion });
    else add(from, { at: endedAt, process, request, kind: kind === 'redirect' ? 'none' : kind });
  }

  function add(from: string, one: RobotsAnswer): void {
    const list = answers.get(from);
    if (list) list.push(one);
    else answers.set(from, [one]);
  }

  for (const request of web.log.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const chain = take(request);
    const kind = kindOf(request);
    const { process, endedAt: at, robotsVersion: version } = request;
    if (kind === 'rules' || kind === 'none')
      served.set(guestOf(request, request.url), {
        at,
        process,
        request,
        kind,
        ...(kind === 'rules' && { version }),
      });
    const asking = guests.get(guestOf(request, request.url));
    for (const [guest, redirects] of asking ?? []) {
      ofRobots.set(request, guest);
      answer(guest, redirects, request);
    }
    if (isUsageFile(request.url)) ofRobots.set(request, origin(request.url));
    else if (chain) {
      ofRobots.set(request, chain.origin);
      answer(chain.origin, chain.redirects, request);
    } else if (request.isRobots && (!asking || request.url.endsWith('/robots.txt'))) {
      ofRobots.set(request, origin(request.url));
      answer(origin(request.url), 0, request);
    }
  }
  for (const list of answers.values()) list.sort((a, b) => a.at - b.at);
  return {
    answersOf: (from) => answers.get(from) ?? NONE,
    isOfRobots: (request) => ofRobots.has(request),
    askedFor: (request) => ofRobots.get(request),
  };
}

const guestOf = ({ contact = '' }: WebRequest, url: string): string => `${contact} ${url}`;
const keyOf = ({ process, contact = '' }: WebRequest, url: string): string => `${process} ${contact} ${url}`;

function kindOf({ httpStatus, isCut, refusal }: WebRequest): RobotsAnswer['kind'] | 'redirect' {
  if (refusal && !refusal.isPlain) return 'nothing';
  if (httpStatus === undefined || httpStatus < 200) return 'nothing';
  if (httpStatus < 300) return isCut ? 'nothing' : 'rules';
  if (httpStatus < 400) return 'redirect';
  return httpStatus < 500 && httpStatus !== 429 ? 'none' : 'nothing';
}
