/** What a host's head keeps of robots.txt within a turn: rules by origin, and origins that are closed. */
import type { HostRobots } from '../frontier/head.ts';
import { backoffAfter, gapAfter } from '../frontier/politeness.ts';
import { isOriginKey } from '../robots/policy.ts';
import type { RobotsRules } from '../robots/robots-rules.ts';
import { decodeRules, encodeRules } from '../robots/rules-text.ts';
import { sizesOf } from '../sizes.ts';
import { StorageFailed } from '../storage-failed.ts';
import type { HostKey } from '../url/host-key.ts';
import type { Crawl } from './crawls.ts';
import type { HostState } from './host-state.ts';
import type { MovedRobotsKeeper } from './moved-robots.ts';
import { newPartId } from './part-id.ts';
import type { Services } from './services.ts';
import { takeNamedSitemaps } from './take-sitemaps.ts';

/** When robots.txt can't be had any more, what is known of it is used this much longer (RFC 9309, section 2.4). */
export const STALE_MS = 600_000;
/** Of a robots.txt that other hosts use. */
const MAX_SITEMAPS_FOR_OTHERS = 100;

/** Rules in the head of that host. */
export interface FoundRobots {
  readonly host: HostKey;
  readonly robots: HostRobots;
}

export const NO_RULES: RobotsRules = { rules: [], sitemaps: [] };

export type RobotsStore = ReturnType<typeof createRobotsStore>;

export function createRobotsStore(
  services: Services,
  crawl: Crawl,
  state: HostState,
  movedRobots: Pick<MovedRobotsKeeper, 'forget' | 'trim'>,
) {
  const { clock, ledgers } = services.engine;
  const { config } = crawl;
  const parsed = new Map<string, RobotsRules>();
  const stateOf = (origin: string) => state.robots.find((robots) => robots.origin === origin);
  const closedOf = (origin: string) => state.closedOrigins.find((closed) => closed.origin === origin);
  const othersClosed = (origin: string) => state.closedOrigins.filter((closed) => closed.origin !== origin);

  async function rulesOf(robots: HostRobots): Promise<RobotsRules | undefined> {
    const memo = parsed.get(robots.origin);
    if (memo) return memo;
    const rules = await readRules(state.host, robots);
    if (rules) parsed.set(robots.origin, rules);
    return rules;
  }

  async function readRules(host: string, robots: HostRobots): Promise<RobotsRules | undefined> {
    if (robots.kind === 'allowAll') return NO_RULES;
    const text = robots.part
      ? Buffer.from(await ledgers.readPart(crawl.id, host, robots.part)).toString('utf8')
      : (robots.rules ?? '');
    return decodeRules(text);
  }

  /** For other hosts with the sitemaps that it names: they are theirs to take in. */
  async function keep(
    origin: string,
    rules: RobotsRules,
    expiresAt: number,
    isForOthers: boolean,
  ): Promise<void> {
    const sitemaps = isForOthers ? rules.sitemaps.slice(0, MAX_SITEMAPS_FOR_OTHERS) : [];
    const text = rules.rules.length + sitemaps.length > 0 ? encodeRules({ ...rules, sitemaps }) : undefined;
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
    movedRobots.forget(origin);
    movedRobots.trim();
    parsed.set(origin, rules);
    if (!isOriginKey(origin)) return;
    state.closedOrigins = othersClosed(origin);
    takeNamedSitemaps(services, crawl, state, { origin, named: rules.sitemaps });
  }

  /** Takes over what another host's head knows; undefined if it cannot be read. */
  async function adopt(origin: string, { host, robots }: FoundRobots) {
    const rules = await readRules(host, robots).catch((error) => {
      // Replaced meanwhile, and its part is gone.
      if (error instanceof StorageFailed) throw error;
      return undefined;
    });
    if (!rules) return undefined;
    await keep(origin, rules, robots.expiresAt, false);
    if (rules.crawlDelayMs !== undefined) {
      const now = clock.now();
      const gapMs = gapAfter({ startedAt: now, endedAt: now, crawlDelayMs: rules.crawlDelayMs }, config);
      state.clock = { ...state.clock, nextFetchAt: Math.max(state.clock.nextFetchAt, now + gapMs) };
    }
    return rules;
  }

  /** What was known before, for some minutes more. */
  async function knownLonger(
    origin: string,
    until = clock.now() + STALE_MS,
  ): Promise<RobotsRules | undefined> {
    const before = stateOf(origin);
    const rules = before && (await rulesOf(before));
    if (!rules) return undefined;

    state.robots = state.robots.map((robots) =>
      robots === before ? { ...robots, expiresAt: until } : robots,
    );
    return rules;
  }

  async function keepText(kept: HostRobots, text: string): Promise<HostRobots> {
    if (text.length <= sizesOf(services.engine).maxHeadRules) return { ...kept, rules: text };
    const part = `robots${newPartId(state.version, clock)}`;
    await ledgers.putPart(crawl.id, state.host, part, Buffer.from(text, 'utf8'));
    return { ...kept, part };
  }

  return {
    stateOf,
    closedOf,
    keep,
    adopt,
    knownLonger,

    /** The rules, if they are known and fresh. */
    async fresh(origin: string): Promise<RobotsRules | undefined> {
      const robots = stateOf(origin);
      return robots && robots.expiresAt > clock.now() ? rulesOf(robots) : undefined;
    },

    /** Closes the origin for a time, twice as long each time. Gives until when. */
    close(origin: string, cause: string): number {
      const failures = (closedOf(origin)?.failures ?? 0) + 1;
      const until = clock.now() + backoffAfter(failures, config);
      state.closedOrigins = [...othersClosed(origin), { origin, until, failures, cause }];
      return until;
    },
  };
}
