/** A host's robots.txt within a turn: from the head while it is fresh, else fetched, politely, and archived. */
import { encodeCapture } from '../archive/capture.ts';
import type { FetchedResponse, FetchFailure, FetchOutcome } from '../fetcher/outcome/fetch-outcome.ts';
import type { MovedRobots } from '../frontier/head.ts';
import { afterFailure, gapAfter } from '../frontier/politeness.ts';
import { hostFailureOf } from '../frontier/verdict.ts';
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
import { ask } from './ask.ts';
import type { Crawl } from './crawls.ts';
import { countRequest, type HostState, reading, wasMade } from './host-state.ts';
import { createMovedRobots } from './moved-robots.ts';
import { headersOf, retryAfterOf } from './response-headers.ts';
import { createRobotsStore, NO_RULES, STALE_MS } from './robots-store.ts';
import type { Services } from './services.ts';

export type RobotsAccess =
  | { readonly kind: 'known'; readonly rules: RobotsRules }
  /** Another host's turn fetches them; the host's clock says when to look again. */
  | { readonly kind: 'awaited' }
  /** Nothing may be fetched now; the host's clock says when to try again. */
  | { readonly kind: 'unreachable'; readonly cause: string }
  /** Nothing of this origin may be fetched before `until`; the host is not to blame, or another one of its answers, so it does not rest. */
  | { readonly kind: 'closed'; readonly cause: string; readonly until: number }
  /** The host's address or port is blocked; no request was made. */
  | { readonly kind: 'blocked'; readonly cause: string };

export interface RobotsKeeper {
  /** The rules for the origin if they are known and fresh. */
  known(origin: string): Promise<RobotsRules | undefined>;
  /** Fetches them. The host's moment must have come. */
  fetch(origin: string): Promise<RobotsAccess>;
  /** Whether what stands at that URL of the host is known and fresh: rules, or a redirect to another host. */
  isKnown(url: string): boolean;
  /** Fetches what stands at that URL of the host, for other hosts whose robots.txt leads to it. The host's moment must have come. */
  fetchFor(url: string): Promise<void>;
  /** Crawl-delay of the origin's rules. */
  crawlDelayMs(origin: string): number | undefined;
}

type Chain =
  | Extract<RobotsAccess, { kind: 'blocked' }>
  /** It redirects to a URL of another host. */
  | { readonly kind: 'moved'; readonly to: string; readonly cacheControl: readonly string[] }
  | { readonly kind: 'judged'; readonly verdict: RobotsVerdict; readonly outcome: FetchOutcome };

export function createRobotsKeeper(services: Services, crawl: Crawl, state: HostState): RobotsKeeper {
  const { clock } = services.engine;
  const { config } = crawl;
  const movedRobots = createMovedRobots(services, crawl, state);
  const store = createRobotsStore(services, crawl, state, movedRobots);

  /** Follows redirects within the host; what the last exchange means. Its response, if any, is not disposed of. */
  async function fetchChain(from: string): Promise<Chain> {
    let url = urlOf(from);
    const { failures, cause } = state.clock;
    for (let redirects = 0; ; redirects++) {
      const request = { url, maxBodyBytes: MAX_ROBOTS_BYTES + 1 };
      const crawlDelayMs = store.stateOf(isOriginKey(from) ? from : originOf(url))?.crawlDelayMs;
      const outcome = await ask(services, crawl, state, request, crawlDelayMs);
      if (redirects === 0 && isBlocked(outcome)) return { kind: 'blocked', cause: outcome.message };
      const verdict = robotsVerdict(outcome, redirects);
      if (wasMade(outcome)) services.stats.requests++;
      const failure =
        verdict.kind === 'unreachable' && !isOurOwn(outcome) && !isOtherOriginOpen(from)
          ? outcome.status === 'failed'
            ? hostFailureOf(outcome, verdict.why)
            : { cause: verdict.why, weight: 1, retryAfterMs: retryAfterOf(outcome, clock.now()) }
          : undefined;
      countRequest(state, outcome, failure, { config, crawlDelayMs, random: clock.random() });
      if (outcome.status === 'response') {
        crawl.budget.receive(outcome.body.size);
        const { members, capture } = await reading(state, () => encodeCapture(outcome, services.records));
        await services.engine.archiveOf(crawl.id).append(members, [capture]);
        state.hasArchived = true;
      }
      if (verdict.kind !== 'redirect') return { kind: 'judged', verdict, outcome };
      // A redirect answers nothing yet, so it forgives nothing: else a chain to a dead end is tried for ever.
      state.clock = { ...state.clock, failures, cause };
      const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
      if (outcome.status === 'response') await outcome.body.dispose();
      url = verdict.location;
      if (hostKey(url) !== state.host) return { kind: 'moved', to: url, cacheControl };
      const why = await waitForRedirect(from);
      if (why !== undefined) return { kind: 'judged', verdict: { kind: 'unreachable', why }, outcome };
    }
  }

  /** Waits until a redirect may be followed. Why it may not be, if so. */
  async function waitForRedirect(origin: string): Promise<string | undefined> {
    const now = clock.now();
    const at = Math.max(now, state.clock.nextFetchAt);
    if (at > state.lastRequestAt) {
      const why = 'robots.txt: its redirects take longer than a turn';
      const failure = { cause: why, weight: 1 };
      if (!isOtherOriginOpen(origin))
        state.clock = afterFailure(
          state.clock,
          { startedAt: now, endedAt: now },
          failure,
          config,
          clock.random(),
        );
      return why;
    }
    await clock.sleep(at - now, services.stopping);
    const status = (await services.crawls.get(crawl.id))?.status;
    return status === 'running' ? undefined : 'robots.txt: the crawl does not run';
  }

  /** Whether another origin of the host (http beside https) has given its robots.txt. */
  function isOtherOriginOpen(origin: string): boolean {
    return state.robots.some(
      (robots) => robots.origin !== origin && isOriginKey(robots.origin) && robots.expiresAt > clock.now(),
    );
  }

  async function remember(
    origin: string,
    verdict: RobotsVerdict,
    outcome: FetchOutcome,
    isForOthers = false,
  ): Promise<RobotsRules> {
    const isText = verdict.kind === 'rules' && outcome.status === 'response';
    const rules = isText
      ? await reading(state, async () => {
          const body = await decodedBody(outcome);
          const agent = robotName(config.userAgent);
          return services.work.run(crawl.id, urlOf(origin), 'robots', () => parseRobots(body, agent));
        })
      : NO_RULES;
    const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
    const expiresAt = expiry(clock.now(), cacheControl, config.robotsMaxAgeMs);
    await store.keep(origin, rules, expiresAt, isForOthers);
    if (isForOthers && !isOriginKey(origin)) return rules;
    // The gap after robots.txt itself is the one that it asks for.
    const { startedAt, endedAt } = outcome;
    const gapMs = gapAfter({ startedAt, endedAt, crawlDelayMs: rules.crawlDelayMs }, config);
    state.clock = { ...state.clock, nextFetchAt: Math.max(state.clock.nextFetchAt, endedAt + gapMs) };
    return rules;
  }

  /** Looks whether the other host's rules are there. */
  async function follow(origin: string, moved: MovedRobots): Promise<RobotsAccess> {
    const found = await movedRobots.find(moved);
    if (found.kind === 'tooManyRedirects') {
      await store.keep(origin, NO_RULES, moved.expiresAt, false);
      return { kind: 'known', rules: NO_RULES };
    }
    const rules = found.kind === 'robots' ? await store.adopt(origin, found) : undefined;
    if (rules) return { kind: 'known', rules };
    const cause = await movedRobots.wait(moved, found.kind === 'unknown' ? found.url : moved.to);
    if (cause === undefined) return { kind: 'awaited' };
    const until = moved.since + STALE_MS;
    const before = until > clock.now() ? await store.knownLonger(origin, until) : undefined;
    if (before) return { kind: 'known', rules: before };
    // Perhaps it redirects no more, or to somewhere else.
    if (until <= clock.now()) movedRobots.forget(origin);
    return { kind: 'unreachable', cause };
  }

  return {
    crawlDelayMs: (origin) => store.stateOf(origin)?.crawlDelayMs,

    async known(origin) {
      if (config.robots === 'ignore') return NO_RULES;
      return store.fresh(origin);
    },

    isKnown(url) {
      const key = robotsKey(url);
      const expiresAt = store.stateOf(key)?.expiresAt ?? 0;
      return expiresAt > clock.now() || movedRobots.of(key) !== undefined;
    },

    async fetchFor(url) {
      const key = robotsKey(url);
      const chain = await fetchChain(key);
      if (chain.kind === 'blocked') return;
      if (chain.kind === 'moved') {
        movedRobots.note(key, chain.to, chain.cacheControl);
        movedRobots.trim();
        return;
      }
      const { verdict, outcome } = chain;
      if (verdict.kind !== 'unreachable') await remember(key, verdict, outcome, true);
      if (outcome.status === 'response') await outcome.body.dispose();
    },

    async fetch(origin) {
      const closed = store.closedOf(origin);
      if (closed && closed.until > clock.now())
        return { kind: 'closed', cause: closed.cause, until: closed.until };
      const moved = movedRobots.of(origin);
      if (moved) return follow(origin, moved);
      const chain = await fetchChain(origin);
      if (chain.kind === 'blocked') return chain;
      if (chain.kind === 'moved')
        return follow(origin, movedRobots.note(origin, chain.to, chain.cacheControl));
      const { verdict, outcome } = chain;
      try {
        if (verdict.kind !== 'unreachable')
          return { kind: 'known', rules: await remember(origin, verdict, outcome) };
        // What we have not asked for, or broken off, says nothing about the host.
        const before = isAborted(outcome) ? undefined : await store.knownLonger(origin);
        if (before) return { kind: 'known', rules: before };
        const cause = verdict.why;
        // Where the host is not to blame, its URLs use up their tries.
        if (isByMiddleware(outcome) || (isOtherOriginOpen(origin) && !isAborted(outcome)))
          return { kind: 'closed', cause, until: store.close(origin, cause) };
        return { kind: 'unreachable', cause };
      } finally {
        if (outcome.status === 'response') await outcome.body.dispose();
      }
    },
  };
}

/** What is asked for first: robots.txt of an origin, or the URL that the key is. */
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
