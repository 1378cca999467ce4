/**
 * Requests of rendered pages to other hosts than their own. Another host has turns of its own, perhaps in another
 * process, which these requests cannot wait for. So they are few: in a process one at a time for a host, with a pause
 * after it, none to a host that rests or refuses, and none that its robots.txt forbids.
 */
import QuickLRU from 'quick-lru';
import { allowedFrom } from '../../../core/crawl/host-hours.ts';
import { isOverloaded } from '../../../core/frontier/verdict.ts';
import { type FetchOutcome, sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import { MAX_ROBOTS_BYTES, parseRobots, robotName } from '../../../core/robots/parse-robots.ts';
import { expiry, robotsUrl, robotsVerdict } from '../../../core/robots/policy.ts';
import type { RobotsRules } from '../../../core/robots/robots-rules.ts';
import { isAllowed, pathAndQuery } from '../../../core/robots/rules.ts';
import { hostKey, origin } from '../../../core/url/host-key.ts';
import type { Crawl } from '../../crawl-state/crawls.ts';
import type { PartRefusal } from '../../ports/renderer.ts';
import { decodedBody } from '../page/decoded-body.ts';
import { headersOf, retryAfterOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import { type PartOfOther, refusal } from './shared-rendering.ts';

/** The least time between two requests of pages to another host. */
const GAP_MS = 200;
/** A host that rests for longer is in trouble, or at its limit: a shorter rest is the one after each request. */
const LONG_REST_MS = 5000;
/** A host that has refused, or failed, is left alone for this time at least. */
const REFUSED_MS = 60_000;
/** So is one whose robots.txt could not be read. */
const ROBOTS_RETRY_MS = 300_000;
const MAX_HOSTS = 10_000;

interface KnownRules {
  /** Undefined: it could not be read, and nothing may be requested. */
  readonly rules: RobotsRules | undefined;
  readonly expiresAt: number;
}

/** Knowledge of a process about other hosts: it outlives an invocation. */
export interface KnownHosts {
  /** Until when each host is left alone. */
  readonly refused: QuickLRU<string, number>;
  /** By crawl and origin. */
  readonly robots: QuickLRU<string, Promise<KnownRules>>;
}

export const createKnownHosts = (): KnownHosts => ({
  refused: new QuickLRU({ maxSize: MAX_HOSTS }),
  robots: new QuickLRU({ maxSize: MAX_HOSTS }),
});

export class OtherHosts {
  readonly #services: Pick<TurnServices, 'engine' | 'lanes' | 'fetcherOf'>;
  readonly #refused: KnownHosts['refused'];
  readonly #robots: KnownHosts['robots'];

  constructor(
    services: Pick<TurnServices, 'engine' | 'lanes' | 'fetcherOf'>,
    { refused, robots }: KnownHosts,
  ) {
    this.#services = services;
    this.#refused = refused;
    this.#robots = robots;
  }

  async request(part: PartOfOther): Promise<FetchOutcome | PartRefusal> {
    const { crawl, request } = part;
    const host = hostKey(request.url);
    const config = crawl.configOf(host);
    const now = this.#now();
    if (this.#isLeftAlone(host)) return refusal('its host rests or refuses');
    if (allowedFrom(config, now) > now) return refusal('outside the hours of its host');
    if (config.robots !== 'ignore') {
      const rules = await this.#rulesOf(part);
      if (rules === undefined) return refusal('robots.txt of its host cannot be read');
      if (!isAllowed(rules, pathAndQuery(request.url)).allowed) return refusal('robots.txt of its host');
    }
    return this.#make(part, request);
  }

  #isLeftAlone(host: string): boolean {
    const until = Math.max(this.#refused.get(host) ?? 0, this.#services.lanes.restUntil(host) - LONG_REST_MS);
    return until > this.#now();
  }

  async #make(
    { crawl, latestAt, mayBegin, onOutcome }: PartOfOther,
    request: PartOfOther['request'],
  ): Promise<FetchOutcome | PartRefusal> {
    const host = hostKey(request.url);
    const { lanes, fetcherOf } = this.#services;
    const spacing = { perHost: 1, gapMs: GAP_MS, latestAt, signal: request.signal };
    // It may have refused another page meanwhile, or this page has had its bytes.
    const make = async () =>
      this.#isLeftAlone(host) || !mayBegin() ? undefined : fetcherOf(crawl).fetch(request);
    const outcome = await lanes.run(host, spacing, make, (made) => made !== undefined && sentRequest(made));
    if (outcome === undefined) return refusal('no time or bytes left, or its host rests');
    onOutcome(outcome);
    this.#note(host, outcome);
    return outcome;
  }

  #note(host: string, outcome: FetchOutcome): void {
    const now = this.#now();
    const isRefusal = outcome.status === 'response' && isOverloaded(outcome.httpStatus);
    const hasFailed =
      outcome.status === 'failed' && outcome.reason !== 'aborted' && outcome.reason !== 'middleware';
    if (!isRefusal && !hasFailed) return;
    const askedMs = outcome.status === 'response' ? (retryAfterOf(outcome, now) ?? 0) : 0;
    this.#refused.set(host, now + Math.max(REFUSED_MS, askedMs));
  }

  async #rulesOf(part: PartOfOther): Promise<RobotsRules | undefined> {
    const key = `${part.crawl.id} ${origin(part.request.url)}`;
    const known = this.#robots.get(key);
    if (known !== undefined) {
      const { rules, expiresAt } = await known;
      if (expiresAt > this.#now()) return rules;
      // Another page has asked meanwhile.
      const next = this.#robots.get(key);
      if (next !== undefined && next !== known) return (await next).rules;
    }
    const fetching = this.#fetchRules(part);
    this.#robots.set(key, fetching);
    return (await fetching).rules;
  }

  async #fetchRules(part: PartOfOther): Promise<KnownRules> {
    const { crawl } = part;
    const { signal } = part.request;
    let url = robotsUrl(part.request.url);
    for (let redirects = 0; url !== undefined; redirects++) {
      const outcome = await this.#make(part, { url, maxBodyBytes: MAX_ROBOTS_BYTES + 1, signal });
      // Not the host's fault: the next page asks again.
      if (outcome.status === 'refused' || (outcome.status === 'failed' && outcome.reason === 'aborted'))
        return { rules: undefined, expiresAt: 0 };
      const body = outcome.status === 'response' ? await decodedBody(outcome) : undefined;
      const verdict = robotsVerdict(outcome, redirects, { undecoded: body?.fault });
      url = verdict.kind === 'redirect' ? verdict.location : undefined;
      if (url !== undefined) continue;
      if (verdict.kind === 'unreachable') break;
      const token = robotName(crawl.config.userAgent);
      const rules = parseRobots(verdict.kind === 'rules' ? (body?.bytes ?? EMPTY) : EMPTY, token);
      return { rules, expiresAt: this.#expiryOf(crawl, outcome) };
    }
    return { rules: undefined, expiresAt: this.#now() + ROBOTS_RETRY_MS };
  }

  #expiryOf({ config }: Crawl, outcome: FetchOutcome): number {
    const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
    return expiry(this.#now(), cacheControl, config.robotsMaxAgeMs);
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

const EMPTY = new Uint8Array(0);
