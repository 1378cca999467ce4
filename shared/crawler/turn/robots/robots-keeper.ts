import type { Cause } from '../../../core/causes/cause.ts';
import type { MovedRobots } from '../../../core/frontier/head.ts';
import { gapAfter } from '../../../core/frontier/politeness.ts';
import { sentRequest } from '../../../core/outcome/fetch-outcome.ts';
import { parseRobots, robotName } from '../../../core/robots/parse-robots.ts';
import { expiry, isOriginKey, robotsKey } from '../../../core/robots/policy.ts';
import type { RobotsRules } from '../../../core/robots/robots-rules.ts';
import type { Quarantine } from '../quarantine.ts';
import { headersOf } from '../response-headers.ts';
import type { TurnServices } from '../services.ts';
import type { MovedRobotsFinder } from './moved-robots.ts';
import {
  isAborted,
  isByMiddleware,
  type JudgedRobots,
  RobotsFetcher,
  type RobotsFetcherOptions,
  urlOf,
} from './robots-fetcher.ts';
import { NO_RULES, type RobotsStore, STALE_MS } from './robots-store.ts';

export type RobotsAccess =
  | { readonly kind: 'known'; readonly rules: RobotsRules }
  /** The turn of the other host fetches them; this host's clock says when to look again. */
  | { readonly kind: 'awaited' }
  /** Nothing may be fetched now; the host's clock says when to try again. */
  | { readonly kind: 'unreachable'; readonly cause: Cause }
  /**
   * Nothing of this origin may be fetched before `until`; the host is not to blame, or another one of its
   * answers, so it does not rest.
   */
  | { readonly kind: 'closed'; readonly cause: Cause; readonly until: number }
  /** The host's address or port is blocked; no request was made. */
  | { readonly kind: 'blocked'; readonly cause: Cause };

export interface RobotsKeeperOptions extends RobotsFetcherOptions {
  readonly quarantine: Quarantine;
  readonly store: RobotsStore;
  readonly moved: MovedRobotsFinder;
}

/**
 * A host's robots.txt within a turn: from the head while it is fresh, else fetched at the host's pace, and
 * archived.
 */
export class RobotsKeeper {
  readonly #services: TurnServices;
  readonly #options: RobotsKeeperOptions;
  readonly #fetcher: RobotsFetcher;
  /** By origin: lanes that need the same robots.txt share one request. */
  readonly #fetching = new Map<string, Promise<RobotsAccess>>();

  constructor(services: TurnServices, options: RobotsKeeperOptions) {
    this.#services = services;
    this.#options = options;
    this.#fetcher = new RobotsFetcher(services, options);
  }

  /** Crawl-delay of the origin's rules. */
  crawlDelayMs(origin: string): number | undefined {
    return this.#options.known.of(origin)?.crawlDelayMs;
  }

  /** Whether the origin's rules come from the crawl's cache and are old. */
  isArchived(origin: string): boolean {
    return this.#options.known.isArchived(origin);
  }

  /** Old rules of the cache count no longer: the origin's robots.txt is requested before all else. */
  expireArchived(origin: string): void {
    const { known } = this.#options;
    if (known.isArchived(origin)) known.extend(origin, 0);
  }

  /** The result of {@link RobotsKeeper.known}, if no part has to be read for it. */
  knownInHead(origin: string): RobotsRules | undefined {
    const { crawl, store } = this.#options;
    return crawl.config.robots === 'ignore' ? NO_RULES : store.freshInHead(origin);
  }

  /** The rules for the origin if they are known and fresh. */
  async known(origin: string): Promise<RobotsRules | undefined> {
    return this.#options.crawl.config.robots === 'ignore' ? NO_RULES : this.#options.store.fresh(origin);
  }

  /** Whether the file at that URL of the host is known and fresh: rules, or a redirect to another host. */
  isKnown(url: string): boolean {
    const { known } = this.#options;
    const now = this.#now();
    const key = robotsKey(url);
    return (known.of(key)?.expiresAt ?? 0) > now || known.redirectOf(key, now) !== undefined;
  }

  /** Fetches the rules of an origin. The host's moment must have come. */
  fetch(origin: string): Promise<RobotsAccess> {
    const access =
      this.#fetching.get(origin) ?? this.#fetch(origin).finally(() => this.#fetching.delete(origin));
    this.#fetching.set(origin, access);
    return access;
  }

  /**
   * Fetches the file at that URL of the host, for other hosts whose robots.txt leads to it. The host's next request
   * must be due.
   */
  async fetchForOthers(url: string): Promise<void> {
    const { known, moved } = this.#options;
    const key = robotsKey(url);
    const fetched = await this.#fetcher.fetch(key);
    if (fetched.kind === 'blocked') return;
    if (fetched.kind === 'moved') {
      moved.note(key, fetched.to, fetched.at, fetched.cacheControl);
      known.trim(this.#now());
      return;
    }
    const { verdict, outcome } = fetched;
    if (verdict.kind !== 'unreachable') await this.#keep(key, fetched, true);
    if (outcome.status === 'response') await outcome.body.dispose();
  }

  async #fetch(origin: string): Promise<RobotsAccess> {
    const { known, moved } = this.#options;
    const now = this.#now();
    const closed = known.closedOrigin(origin);
    if (closed && closed.until > now) return { kind: 'closed', cause: closed.cause, until: closed.until };
    const redirect = known.redirectOf(origin, now);
    if (redirect) return this.#follow(origin, redirect);
    const fetched = await this.#fetcher.fetch(origin);
    if (fetched.kind === 'blocked') return fetched;
    if (fetched.kind === 'moved')
      return this.#follow(origin, moved.note(origin, fetched.to, fetched.at, fetched.cacheControl));
    const { outcome } = fetched;
    try {
      return await this.#accessBy(origin, fetched);
    } finally {
      if (outcome.status === 'response') await outcome.body.dispose();
    }
  }

  async #accessBy(origin: string, fetched: JudgedRobots): Promise<RobotsAccess> {
    const { verdict, outcome } = fetched;
    if (verdict.kind !== 'unreachable')
      return { kind: 'known', rules: await this.#keep(origin, fetched, false) };
    const { known, store } = this.#options;
    // A request that was not sent, or that we broke off, says nothing about the host; nor do old rules of the cache.
    const before =
      isAborted(outcome) || known.isArchived(origin)
        ? undefined
        : await store.knownLonger(origin, outcome.startedAt + STALE_MS);
    if (before) return { kind: 'known', rules: before };
    const { cause } = verdict;
    const isHostFine = known.isOtherOriginOpen(origin, this.#now()) && !isAborted(outcome);
    // If the host is not to blame, its URLs use up their tries.
    return isByMiddleware(outcome) || isHostFine
      ? { kind: 'closed', cause, until: store.close(origin, cause) }
      : { kind: 'unreachable', cause };
  }

  /** Looks whether the other host's rules are there. */
  async #follow(origin: string, redirect: MovedRobots): Promise<RobotsAccess> {
    const { known, store, moved } = this.#options;
    const found = await moved.find(redirect);
    if (found.kind === 'tooManyRedirects') {
      await store.keep(origin, NO_RULES, redirect.expiresAt);
      return { kind: 'known', rules: NO_RULES };
    }
    const rules = found.kind === 'robots' ? await store.adopt(origin, found) : undefined;
    if (rules) return { kind: 'known', rules };
    const cause = await moved.wait(redirect, found.kind === 'unknown' ? found.url : redirect.to);
    if (cause === undefined) return { kind: 'awaited' };
    const until = redirect.since + STALE_MS;
    const isStale = until <= this.#now();
    const before = isStale ? undefined : await store.knownLonger(origin, until);
    if (before) return { kind: 'known', rules: before };
    // Perhaps it redirects no more, or to somewhere else.
    if (isStale) known.forgetRedirect(origin);
    return { kind: 'unreachable', cause };
  }

  /** Keeps the rules that an exchange brought, or that it means. */
  async #keep(
    key: string,
    { verdict, outcome, content }: JudgedRobots,
    isForOthers: boolean,
  ): Promise<RobotsRules> {
    const { crawl, pace, store } = this.#options;
    const response = outcome.status === 'response' ? outcome : undefined;
    const rules = verdict.kind === 'rules' && content ? await this.#parse(key, content) : NO_RULES;
    const cacheControl = response ? headersOf(response, 'cache-control') : [];
    const expireAfter = (at: number) => expiry(at, cacheControl, crawl.config.robotsMaxAgeMs);
    // The process may have frozen since the request; and a cache may answer it long after.
    const isArchived = !sentRequest(outcome) && expireAfter(outcome.startedAt) <= this.#now();
    const expiresAt = expireAfter(isArchived ? this.#now() : outcome.startedAt);
    await store.keep(key, rules, expiresAt, { isForOthers, isArchived });
    if (!sentRequest(outcome) || (isForOthers && !isOriginKey(key))) return rules;
    // The gap after robots.txt itself is the one that it states.
    const { startedAt, endedAt } = outcome;
    const { crawlDelayMs } = rules;
    pace.postponeTo(endedAt + gapAfter({ startedAt, endedAt, crawlDelayMs }, crawl.config));
    return rules;
  }

  #parse(key: string, body: Uint8Array): Promise<RobotsRules> {
    const { crawl, quarantine } = this.#options;
    return quarantine.watch(async () => {
      const agent = robotName(crawl.config.userAgent);
      return this.#services.work.run(crawl.id, urlOf(key), 'robots', () => parseRobots(body, agent));
    });
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}
