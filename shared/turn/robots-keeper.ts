import type { Cause } from '../causes/cause.ts';
import type { FetchedResponse, FetchFailure, FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import type { MovedRobots } from '../frontier/head.ts';
import { gapAfter, type HostFailure } from '../frontier/politeness.ts';
import { causeOfFailure, hostFailureOf } from '../frontier/verdict.ts';
import { createContentDecoder } from '../parser/content-decoder.ts';
import { MAX_ROBOTS_BYTES, parseRobots, robotName } from '../robots/parse-robots.ts';
import {
  expiry,
  isOriginKey,
  type RobotsVerdict,
  robotsKey,
  robotsUrl,
  robotsVerdict,
} from '../robots/policy.ts';
import type { RobotsRules } from '../robots/robots-rules.ts';
import { hostKey, origin as originOf } from '../url/host-key.ts';
import type { HostPace } from './host-pace.ts';
import type { KnownRobots } from './known-robots.ts';
import type { MovedRobotsFinder } from './moved-robots.ts';
import type { Quarantine } from './quarantine.ts';
import { headersOf, retryAfterOf } from './response-headers.ts';
import { NO_RULES, type RobotsStore, STALE_MS } from './robots-store.ts';
import type { TurnServices } from './services.ts';
import type { TurnCrawl } from './turn-crawl.ts';
import type { TurnOutput } from './turn-output.ts';

/** One more than is read. */
const MAX_BODY_BYTES = MAX_ROBOTS_BYTES + 1;

export type RobotsAccess =
  | { readonly kind: 'known'; readonly rules: RobotsRules }
  /** Another host's turn fetches them; the host's clock says when to look again. */
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

type Chain =
  | Extract<RobotsAccess, { kind: 'blocked' }>
  /** It redirects to a URL of another host. `at`: when it was requested. */
  | {
      readonly kind: 'moved';
      readonly to: string;
      readonly at: number;
      readonly cacheControl: readonly string[];
    }
  | { readonly kind: 'judged'; readonly verdict: RobotsVerdict; readonly outcome: FetchOutcome };

export interface RobotsKeeperOptions {
  readonly crawl: TurnCrawl;
  readonly pace: HostPace;
  readonly output: TurnOutput;
  readonly quarantine: Quarantine;
  readonly known: KnownRobots;
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
  /** By origin: lanes that need the same robots.txt ask for it once. */
  readonly #fetching = new Map<string, Promise<RobotsAccess>>();

  constructor(services: TurnServices, options: RobotsKeeperOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** Crawl-delay of the origin's rules. */
  crawlDelayMs(origin: string): number | undefined {
    return this.#options.known.of(origin)?.crawlDelayMs;
  }

  /** The rules for the origin if they are known and fresh. */
  async known(origin: string): Promise<RobotsRules | undefined> {
    return this.#options.crawl.config.robots === 'ignore' ? NO_RULES : this.#options.store.fresh(origin);
  }

  /** Whether what stands at that URL of the host is known and fresh: rules, or a redirect to another host. */
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
   * Fetches what stands at that URL of the host, for other hosts whose robots.txt leads to it. The host's
   * moment must have come.
   */
  async fetchForOthers(url: string): Promise<void> {
    const { known, moved } = this.#options;
    const key = robotsKey(url);
    const chain = await this.#fetchChain(key);
    if (chain.kind === 'blocked') return;
    if (chain.kind === 'moved') {
      moved.note(key, chain.to, chain.at, chain.cacheControl);
      known.trim(this.#now());
      return;
    }
    const { verdict, outcome } = chain;
    if (verdict.kind !== 'unreachable') await this.#keep(key, verdict, outcome, true);
    if (outcome.status === 'response') await outcome.body.dispose();
  }

  async #fetch(origin: string): Promise<RobotsAccess> {
    const { known, moved } = this.#options;
    const now = this.#now();
    const closed = known.closedOrigin(origin);
    if (closed && closed.until > now) return { kind: 'closed', cause: closed.cause, until: closed.until };
    const redirect = known.redirectOf(origin, now);
    if (redirect) return this.#follow(origin, redirect);
    const chain = await this.#fetchChain(origin);
    if (chain.kind === 'blocked') return chain;
    if (chain.kind === 'moved')
      return this.#follow(origin, moved.note(origin, chain.to, chain.at, chain.cacheControl));
    const { verdict, outcome } = chain;
    try {
      return await this.#accessBy(origin, verdict, outcome);
    } finally {
      if (outcome.status === 'response') await outcome.body.dispose();
    }
  }

  async #accessBy(origin: string, verdict: RobotsVerdict, outcome: FetchOutcome): Promise<RobotsAccess> {
    if (verdict.kind !== 'unreachable')
      return { kind: 'known', rules: await this.#keep(origin, verdict, outcome, false) };
    const { known, store } = this.#options;
    // A request that was not sent, or that we broke off, says nothing about the host.
    const before = isAborted(outcome)
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

  /**
   * Follows redirects within the host; what the last exchange means. Its response, if any, is not disposed
   * of.
   */
  async #fetchChain(key: string): Promise<Chain> {
    const { crawl, pace, known } = this.#options;
    let url = urlOf(key);
    const before = pace.clock;
    for (let redirects = 0; ; redirects++) {
      const crawlDelayMs = this.#crawlDelayOf(key, url);
      // The gap before it: a longer one could end each turn on the way.
      const beforeMs = known.of(isOriginKey(key) ? key : originOf(url))?.crawlDelayMs;
      const outcome = await pace.exchange({ url, maxBodyBytes: MAX_BODY_BYTES }, beforeMs, crawlDelayMs);
      if (redirects === 0 && isBlocked(outcome)) return { kind: 'blocked', cause: causeOfFailure(outcome) };
      const verdict = robotsVerdict(outcome, redirects);
      pace.record(outcome, this.#hostFailureOf(key, verdict, outcome), crawlDelayMs);
      if (outcome.status === 'response') await this.#archive(outcome);
      if (verdict.kind !== 'redirect') return { kind: 'judged', verdict, outcome };
      pace.restoreFailures(before);
      const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
      if (outcome.status === 'response') await outcome.body.dispose();
      url = verdict.location;
      if (hostKey(url) !== crawl.host) return { kind: 'moved', to: url, at: outcome.startedAt, cacheControl };
      const cause = await this.#waitForRedirect(key);
      if (cause !== undefined) return { kind: 'judged', verdict: { kind: 'unreachable', cause }, outcome };
    }
  }

  /** As known so far of the origin that is asked, and of the one whose robots.txt this is: the longer one. */
  #crawlDelayOf(key: string, url: string): number | undefined {
    const { known } = this.#options;
    const delays = [key, originOf(url)].flatMap((one) => known.of(one)?.crawlDelayMs ?? []);
    return delays.sort((a, b) => b - a)[0];
  }

  /** Returns the failure of the host that the exchange shows. None if another of its origins answers. */
  #hostFailureOf(key: string, verdict: RobotsVerdict, outcome: FetchOutcome): HostFailure | undefined {
    if (verdict.kind !== 'unreachable' || isOurOwn(outcome)) return undefined;
    const now = this.#now();
    if (this.#options.known.isOtherOriginOpen(key, now)) return undefined;
    return outcome.status === 'failed'
      ? hostFailureOf(outcome, verdict.cause)
      : { cause: verdict.cause, weight: 1, retryAfterMs: retryAfterOf(outcome, now) };
  }

  async #archive(response: FetchedResponse): Promise<void> {
    this.#options.crawl.budget.receive(response.body.size);
    await this.#options.output.archiveRobots(response);
  }

  /** Waits until a redirect may be followed. Why it may not be, if so. */
  async #waitForRedirect(key: string): Promise<Cause | undefined> {
    const { crawl, pace, known } = this.#options;
    const { engine, stopping } = this.#services;
    const now = engine.clock.now();
    const at = Math.max(now, pace.nextFetchAt);
    if (at > pace.lastRequestAt) {
      const cause: Cause = { code: 'robotsRedirectsTooSlow' };
      if (!known.isOtherOriginOpen(key, now)) pace.fail(cause);
      return cause;
    }
    await engine.clock.sleep(at - now, stopping);
    return (await crawl.isRunning()) ? undefined : { code: 'crawlNotRunning' };
  }

  /** Keeps the rules that an exchange brought, or that it means. */
  async #keep(
    key: string,
    verdict: RobotsVerdict,
    outcome: FetchOutcome,
    isForOthers: boolean,
  ): Promise<RobotsRules> {
    const { crawl, pace, store } = this.#options;
    const response = outcome.status === 'response' ? outcome : undefined;
    const rules = verdict.kind === 'rules' && response ? await this.#parse(key, response) : NO_RULES;
    const cacheControl = response ? headersOf(response, 'cache-control') : [];
    // The process may have frozen since the request.
    const expiresAt = expiry(outcome.startedAt, cacheControl, crawl.config.robotsMaxAgeMs);
    await store.keep(key, rules, expiresAt, isForOthers);
    if (isForOthers && !isOriginKey(key)) return rules;
    // The gap after robots.txt itself is the one that it asks for.
    const { startedAt, endedAt } = outcome;
    const { crawlDelayMs } = rules;
    pace.postponeTo(endedAt + gapAfter({ startedAt, endedAt, crawlDelayMs }, crawl.config));
    return rules;
  }

  #parse(key: string, response: FetchedResponse): Promise<RobotsRules> {
    const { crawl, quarantine } = this.#options;
    return quarantine.watch(async () => {
      const body = await decodedBody(response);
      const agent = robotName(crawl.config.userAgent);
      return this.#services.work.run(crawl.id, urlOf(key), 'robots', () => parseRobots(body, agent));
    });
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}

/** Returns the URL that is requested first: robots.txt of an origin, or the URL that the key is. */
const urlOf = (key: string): string => (isOriginKey(key) ? (robotsUrl(key) as string) : key);

const isBlocked = (outcome: FetchOutcome): outcome is FetchFailure =>
  outcome.status === 'failed' && (outcome.reason === 'blockedAddress' || outcome.reason === 'blockedPort');
const isAborted = (outcome: FetchOutcome) => outcome.status === 'failed' && outcome.reason === 'aborted';
const isByMiddleware = (outcome: FetchOutcome) =>
  outcome.status === 'failed' && outcome.reason === 'middleware';
const isOurOwn = (outcome: FetchOutcome) => isAborted(outcome) || isByMiddleware(outcome);

async function decodedBody(response: FetchedResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const decoder = createContentDecoder({
    contentEncoding: headersOf(response, 'content-encoding').join(', ') || undefined,
    maxDecodedBytes: MAX_ROBOTS_BYTES + 1,
    onData: (piece) => pieces.push(Uint8Array.from(piece)),
  });
  for await (const piece of response.body.chunks()) decoder.write(piece);
  await decoder.end();
  return Buffer.concat(pieces);
}
