/** What the crawler was told by robots.txt, and when: read from the web's log. */
import { MAX_ROBOTS_REDIRECTS } from '../../../shared/robots/policy.ts';
import { hostKey, origin } from '../../../shared/url/host-key.ts';
import type { WebRequest } from '../spec.ts';
import type { Facts } from './facts.ts';

export interface RobotsAnswer {
  /** When the answer was there, and whose process had asked. */
  readonly at: number;
  readonly process: string;
  /** The request that brought it: the last one of a chain of redirects. */
  readonly request: WebRequest;
  /**
   * `rules`: a robots.txt, whole; `none`: there is none, so all is allowed; `nothing`: nobody can tell (RFC 9309,
   * section 2.3.1).
   */
  readonly kind: 'rules' | 'none' | 'nothing';
  /** Which of the asking host's versions. */
  readonly version?: number | undefined;
}

export interface RobotsLog {
  /** Of an origin, in the order in which they were there. */
  answersOf(origin: string): readonly RobotsAnswer[];
  /** The request asks for robots.txt, or follows its redirect. */
  isOfRobots(request: WebRequest): boolean;
  /** The origin whose robots.txt the request was made for, by itself or by following a redirect. */
  askedFor(request: WebRequest): string | undefined;
  /** The request follows a redirect of another host's robots.txt. */
  isForeign(request: WebRequest): boolean;
}

interface Awaited {
  readonly origin: string;
  readonly redirects: number;
  readonly since: number;
}

const NONE: readonly RobotsAnswer[] = [];

/** A redirect is followed within the turn, and so by the same process within its lease. */
export function readRobotsLog({ web, leaseMs }: Pick<Facts, 'web' | 'leaseMs'>): RobotsLog {
  const answers = new Map<string, RobotsAnswer[]>();
  const ofRobots = new Map<WebRequest, string>();
  const foreign = new Set<WebRequest>();
  /** By process, crawl and URL: redirects that are to be followed. */
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
      const key = keyOf(request, target);
      const waiting = awaited.get(key) ?? [];
      awaited.set(key, waiting);
      waiting.push({ origin: from, redirects: redirects + 1, since: endedAt });
      // Until it is followed, which need not happen: the crawl may be paused meanwhile.
      add(from, { at: endedAt, process, request, kind: 'nothing' });
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
    if (chain) {
      ofRobots.set(request, chain.origin);
      if (hostKey(`${chain.origin}/`) !== request.host) foreign.add(request);
      answer(chain.origin, chain.redirects, request);
    } else if (request.isRobots) {
      ofRobots.set(request, origin(request.url));
      answer(origin(request.url), 0, request);
    }
  }
  for (const list of answers.values()) list.sort((a, b) => a.at - b.at);
  return {
    answersOf: (from) => answers.get(from) ?? NONE,
    isOfRobots: (request) => ofRobots.has(request),
    askedFor: (request) => ofRobots.get(request),
    isForeign: (request) => foreign.has(request),
  };
}

const keyOf = ({ process, contact = '' }: WebRequest, url: string): string => `${process} ${contact} ${url}`;

function kindOf({ httpStatus, isCut }: WebRequest): RobotsAnswer['kind'] | 'redirect' {
  if (httpStatus === undefined || httpStatus < 200) return 'nothing';
  if (httpStatus < 300) return isCut ? 'nothing' : 'rules';
  if (httpStatus < 400) return 'redirect';
  return httpStatus < 500 && httpStatus !== 429 ? 'none' : 'nothing';
}
