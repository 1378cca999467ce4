/** A host's robots.txt within a turn: from the head while it is fresh, else fetched, politely, and archived. */
import { encodeCapture } from '../archive/capture.ts';
import type { HostRobots } from '../frontier/head.ts';
import { afterFailure, backoffAfter, gapAfter } from '../frontier/politeness.ts';
import { hostFailureOf } from '../frontier/verdict.ts';
import { createContentDecoder } from '../parser/content-decoder.ts';
import type { FetchedResponse, FetchFailure, FetchOutcome } from '../ports.ts';
import { expiry, type RobotsVerdict, robotsUrl, robotsVerdict } from '../robots/policy.ts';
import {
  decodeRules,
  encodeRules,
  MAX_ROBOTS_BYTES,
  parseRobots,
  type RobotsRules,
  robotName,
} from '../robots/rules.ts';
import { sizesOf } from '../sizes.ts';
import { hostKey } from '../url/host-key.ts';
import { ask } from './ask.ts';
import type { Crawl } from './crawls.ts';
import { countRequest, type HostState, reading, wasMade } from './host-state.ts';
import { newPartId } from './part-id.ts';
import { headersOf, retryAfterOf } from './response-headers.ts';
import type { Services } from './services.ts';
import { takeNamedSitemaps } from './take-sitemaps.ts';

/** When robots.txt can't be had any more, what is known of it is used this much longer (RFC 9309, section 2.4). */
const STALE_MS = 600_000;

export type RobotsAccess =
  | { readonly kind: 'known'; readonly rules: RobotsRules }
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
  /** Crawl-delay of the origin's rules. */
  crawlDelayMs(origin: string): number | undefined;
}

type Chain =
  | Extract<RobotsAccess, { kind: 'blocked' }>
  | { readonly kind: 'judged'; readonly verdict: RobotsVerdict; readonly outcome: FetchOutcome };

const NO_RULES: RobotsRules = { rules: [], sitemaps: [] };

export function createRobotsKeeper(services: Services, crawl: Crawl, state: HostState): RobotsKeeper {
  const { clock, ledgers } = services.engine;
  const { config } = crawl;
  const parsed = new Map<string, RobotsRules>();
  const stateOf = (origin: string) => state.robots.find((robots) => robots.origin === origin);

  async function rulesOf(robots: HostRobots): Promise<RobotsRules | undefined> {
    const memo = parsed.get(robots.origin);
    if (memo) return memo;
    if (robots.kind === 'allowAll') return NO_RULES;
    const text = robots.part
      ? Buffer.from(await ledgers.readPart(crawl.id, state.host, robots.part)).toString('utf8')
      : (robots.rules ?? '');
    const rules = decodeRules(text);
    if (rules) parsed.set(robots.origin, rules);
    return rules;
  }

  /** Follows redirects; what the last exchange means. Its response, if any, is not disposed of. */
  async function fetchChain(origin: string): Promise<Chain> {
    let url = robotsUrl(origin) as string;
    const { failures, cause } = state.clock;
    for (let redirects = 0; ; redirects++) {
      const request = { url, maxBodyBytes: MAX_ROBOTS_BYTES + 1 };
      const crawlDelayMs = stateOf(origin)?.crawlDelayMs;
      const outcome = await ask(services, crawl, state, hostKey(url), request, crawlDelayMs);
      if (redirects === 0 && isBlocked(outcome)) return { kind: 'blocked', cause: outcome.message };
      const verdict = robotsVerdict(outcome, redirects);
      if (wasMade(outcome)) services.stats.requests++;
      const failure =
        verdict.kind === 'unreachable' && !isOurOwn(outcome) && !isOtherOriginOpen(origin)
          ? outcome.status === 'failed'
            ? hostFailureOf(outcome, verdict.why)
            : { cause: verdict.why, weight: 1, retryAfterMs: retryAfterOf(outcome, clock.now()) }
          : undefined;
      countRequest(state, outcome, failure, { config, crawlDelayMs, random: clock.random() });
      if (outcome.status === 'response') {
        crawl.budget.receive(outcome.body.size);
        const { members, capture } = await reading(state, () => encodeCapture(outcome));
        await services.engine.archiveOf(crawl.id).append(members, [capture]);
        state.hasArchived = true;
      }
      if (verdict.kind !== 'redirect') return { kind: 'judged', verdict, outcome };
      // A redirect answers nothing yet, so it forgives nothing: else a chain to a dead end is tried for ever.
      state.clock = { ...state.clock, failures, cause };
      if (outcome.status === 'response') await outcome.body.dispose();
      url = verdict.location;
      const why = await waitForRedirect(origin, hostKey(url));
      if (why !== undefined) return { kind: 'judged', verdict: { kind: 'unreachable', why }, outcome };
    }
  }

  /** Waits until a redirect to `host` may be followed. Why it may not be, if so. */
  async function waitForRedirect(origin: string, host: string): Promise<string | undefined> {
    const now = clock.now();
    const at = host === state.host ? Math.max(now, state.clock.nextFetchAt) : now;
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
    return state.robots.some((robots) => robots.origin !== origin && robots.expiresAt > clock.now());
  }

  const closedOf = (origin: string) => state.closedOrigins.find((closed) => closed.origin === origin);
  const othersClosed = (origin: string) => state.closedOrigins.filter((closed) => closed.origin !== origin);

  function close(origin: string, cause: string): RobotsAccess {
    const failures = (closedOf(origin)?.failures ?? 0) + 1;
    const until = clock.now() + backoffAfter(failures, config);
    state.closedOrigins = [...othersClosed(origin), { origin, until, failures, cause }];
    return { kind: 'closed', cause, until };
  }

  async function remember(
    origin: string,
    verdict: RobotsVerdict,
    outcome: FetchOutcome,
  ): Promise<RobotsRules> {
    const isText = verdict.kind === 'rules' && outcome.status === 'response';
    const rules = isText
      ? await reading(state, async () => {
          const body = await decodedBody(outcome);
          const agent = robotName(config.userAgent);
          return services.work.run(crawl.id, robotsUrl(origin) as string, 'robots', () =>
            parseRobots(body, agent),
          );
        })
      : NO_RULES;
    const cacheControl = outcome.status === 'response' ? headersOf(outcome, 'cache-control') : [];
    const expiresAt = expiry(clock.now(), cacheControl, config.robotsMaxAgeMs);
    const text = rules.rules.length > 0 ? encodeRules({ ...rules, sitemaps: [] }) : undefined;
    const kept: HostRobots = {
      origin,
      kind: text === undefined ? 'allowAll' : 'rules',
      expiresAt,
      ...(rules.crawlDelayMs !== undefined && { crawlDelayMs: rules.crawlDelayMs }),
    };
    state.robots = [
      ...state.robots.filter((robots) => robots.origin !== origin),
      text === undefined ? kept : await keepText(kept, text),
    ];
    state.closedOrigins = othersClosed(origin);
    takeNamedSitemaps(services, crawl, state, { origin, named: rules.sitemaps });
    parsed.set(origin, rules);
    // The gap after robots.txt itself is the one that it asks for.
    const { startedAt, endedAt } = outcome;
    const gapMs = gapAfter({ startedAt, endedAt, crawlDelayMs: rules.crawlDelayMs }, config);
    state.clock = { ...state.clock, nextFetchAt: Math.max(state.clock.nextFetchAt, endedAt + gapMs) };
    return rules;
  }

  async function keepText(kept: HostRobots, text: string): Promise<HostRobots> {
    if (text.length <= sizesOf(services.engine).maxHeadRules) return { ...kept, rules: text };
    const part = `robots${newPartId(state.version, clock)}`;
    await ledgers.putPart(crawl.id, state.host, part, Buffer.from(text, 'utf8'));
    return { ...kept, part };
  }

  return {
    crawlDelayMs: (origin) => stateOf(origin)?.crawlDelayMs,

    async known(origin) {
      if (config.robots === 'ignore') return NO_RULES;
      const robots = stateOf(origin);
      return robots && robots.expiresAt > clock.now() ? rulesOf(robots) : undefined;
    },

    async fetch(origin) {
      const closed = closedOf(origin);
      if (closed && closed.until > clock.now())
        return { kind: 'closed', cause: closed.cause, until: closed.until };
      const chain = await fetchChain(origin);
      if (chain.kind === 'blocked') return chain;
      const { verdict, outcome } = chain;
      try {
        if (verdict.kind !== 'unreachable')
          return { kind: 'known', rules: await remember(origin, verdict, outcome) };
        const before = stateOf(origin);
        const rules = before && (await rulesOf(before));
        // What we have not asked for, or broken off, says nothing about the host.
        if (before && rules && !isAborted(outcome)) {
          const expiresAt = clock.now() + STALE_MS;
          state.robots = state.robots.map((robots) =>
            robots === before ? { ...robots, expiresAt } : robots,
          );
          return { kind: 'known', rules };
        }
        const cause = verdict.why;
        // Where the host is not to blame, its URLs use up their tries.
        if (isByMiddleware(outcome) || (isOtherOriginOpen(origin) && !isAborted(outcome)))
          return close(origin, cause);
        return { kind: 'unreachable', cause };
      } finally {
        if (outcome.status === 'response') await outcome.body.dispose();
      }
    },
  };
}

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
