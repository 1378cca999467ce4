import { sizesOf } from '../../../core/base/sizes.ts';
import { StorageFailed } from '../../../core/base/storage-failed.ts';
import type { Cause } from '../../../core/causes/cause.ts';
import type { HostRobots } from '../../../core/frontier/head.ts';
import { backoffAfter, gapAfter } from '../../../core/frontier/politeness.ts';
import { isOriginKey } from '../../../core/robots/policy.ts';
import type { RobotsRules } from '../../../core/robots/robots-rules.ts';
import { decodeRules, encodeRules } from '../../../core/robots/rules-text.ts';
import type { HostKey } from '../../../core/url/host-key.ts';
import type { SitemapLinks } from '../links/sitemap-links.ts';
import type { HostPace } from '../pace/host-pace.ts';
import { newPartId } from '../part-id.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';
import type { KnownRobots } from './known-robots.ts';

/**
 * If robots.txt cannot be fetched any more, the known rules are used this much longer (RFC 9309, section
 * 2.4).
 */
export const STALE_MS = 600_000;
/** A robots.txt that other hosts use. */
const MAX_SITEMAPS_FOR_OTHERS = 100;

/** Rules in the head of that host. */
export interface FoundRobots {
  readonly host: HostKey;
  readonly robots: HostRobots;
}

export const NO_RULES: RobotsRules = { rules: [], sitemaps: [] };

export interface RobotsStoreOptions {
  readonly crawl: TurnCrawl;
  readonly known: KnownRobots;
  readonly pace: HostPace;
  readonly sitemapLinks: SitemapLinks;
  /** Version of the head that the turn began with. */
  readonly version: number;
}

/** Reads and keeps robots rules: in the host's head, or, if they are long, in a part of their own. */
export class RobotsStore {
  readonly #services: Pick<TurnServices, 'engine'>;
  readonly #options: RobotsStoreOptions;
  readonly #parsed = new Map<string, RobotsRules>();

  constructor(services: Pick<TurnServices, 'engine'>, options: RobotsStoreOptions) {
    this.#services = services;
    this.#options = options;
  }

  /** The result of {@link RobotsStore.fresh}, if no part has to be read for it. */
  freshInHead(key: string): RobotsRules | undefined {
    const robots = this.#options.known.of(key);
    return robots && robots.expiresAt > this.#now() ? this.#inHead(robots) : undefined;
  }

  /** The result of {@link RobotsStore.last}, if no part has to be read for it. */
  lastInHead(key: string): RobotsRules | undefined {
    const robots = this.#options.known.of(key);
    return robots && this.#inHead(robots);
  }

  /** The rules, if they are known and fresh. */
  async fresh(key: string): Promise<RobotsRules | undefined> {
    const robots = this.#options.known.of(key);
    return robots && robots.expiresAt > this.#now() ? this.#rulesOf(robots) : undefined;
  }

  /** The rules as the last fetch left them, fresh or not. */
  async last(key: string): Promise<RobotsRules | undefined> {
    const robots = this.#options.known.of(key);
    return robots && this.#rulesOf(robots);
  }

  /**
   * Keeps rules, and takes in the sitemaps that they name. If `isForOthers`, or if the host takes in none, the
   * sitemaps are kept with the rules: they are for the other hosts to take in. `isArchived`: as of {@link HostRobots}.
   */
  async keep(
    key: string,
    rules: RobotsRules,
    expiresAt: number,
    { isForOthers = false, isArchived = false } = {},
  ): Promise<void> {
    const { crawl } = this.#options;
    // A host that is visited only for parts of pages takes in none itself.
    const isTaken = !isForOthers && crawl.scope.hasHost(crawl.host);
    const sitemaps = isTaken ? [] : rules.sitemaps.slice(0, MAX_SITEMAPS_FOR_OTHERS);
    const isEmpty = rules.rules.length + sitemaps.length === 0 && rules.usage === undefined;
    const text = isEmpty ? undefined : encodeRules({ ...rules, sitemaps });
    const kept: HostRobots = {
      origin: key,
      kind: text === undefined ? 'allowAll' : 'rules',
      expiresAt,
      ...(rules.crawlDelayMs !== undefined && { crawlDelayMs: rules.crawlDelayMs }),
      ...(isArchived && { isArchived }),
    };
    const { known, sitemapLinks } = this.#options;
    known.set(text === undefined ? kept : await this.#withText(kept, text), this.#now());
    this.#parsed.set(key, rules);
    if (isOriginKey(key)) sitemapLinks.takeNamed(key, rules.sitemaps, this.#now());
  }

  /** Takes over what another host's head knows; undefined if it cannot be read. */
  async adopt(key: string, { host, robots }: FoundRobots): Promise<RobotsRules | undefined> {
    const rules = await this.#read(host, robots).catch((error) => {
      // Replaced meanwhile, and its part is gone.
      if (error instanceof StorageFailed) throw error;
      return undefined;
    });
    if (!rules) return undefined;
    await this.keep(key, rules, robots.expiresAt);
    const { crawlDelayMs } = rules;
    if (crawlDelayMs !== undefined) {
      const now = this.#now();
      const { crawl, pace } = this.#options;
      pace.postponeTo(now + gapAfter({ startedAt: now, endedAt: now, crawlDelayMs }, crawl.config));
    }
    return rules;
  }

  /** Returns the rules that were known before, and keeps them for some minutes more. */
  async knownLonger(key: string, until: number): Promise<RobotsRules | undefined> {
    const { known } = this.#options;
    const before = known.of(key);
    const rules = before && (await this.#rulesOf(before));
    if (rules) known.extend(key, until);
    return rules;
  }

  /** Closes the origin for a time, twice as long each time. Returns until when. */
  close(origin: string, cause: Cause): number {
    const { crawl, known } = this.#options;
    const failures = (known.closedOrigin(origin)?.failures ?? 0) + 1;
    const until = this.#now() + backoffAfter(failures, crawl.config);
    known.close({ origin, until, failures, cause });
    return until;
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }

  #inHead(robots: HostRobots): RobotsRules | undefined {
    const parsed = this.#parsed.get(robots.origin);
    if (parsed || robots.part) return parsed;
    const rules = rulesInHead(robots);
    if (rules) this.#parsed.set(robots.origin, rules);
    return rules;
  }

  async #rulesOf(robots: HostRobots): Promise<RobotsRules | undefined> {
    const inHead = this.#inHead(robots);
    if (inHead || !robots.part) return inHead;
    const rules = await this.#read(this.#options.crawl.host, robots);
    if (rules) this.#parsed.set(robots.origin, rules);
    return rules;
  }

  /** Undefined: another version of the program wrote them. */
  async #read(host: HostKey, robots: HostRobots): Promise<RobotsRules | undefined> {
    if (!robots.part) return rulesInHead(robots);
    const { engine } = this.#services;
    const bytes = await engine.ledgers.readPart(this.#options.crawl.id, host, robots.part);
    return decodeRules(Buffer.from(bytes).toString('utf8'));
  }

  async #withText(kept: HostRobots, text: string): Promise<HostRobots> {
    const { engine } = this.#services;
    if (text.length <= sizesOf(engine).maxHeadRules) return { ...kept, rules: text };
    const { crawl, version } = this.#options;
    const part = `robots${newPartId(version, engine.clock)}`;
    await engine.ledgers.putPart(crawl.id, crawl.host, part, Buffer.from(text, 'utf8'));
    return { ...kept, part };
  }
}

/** Undefined: another version of the program wrote them. */
const rulesInHead = (robots: HostRobots): RobotsRules | undefined =>
  robots.kind === 'allowAll' ? withoutRules(robots) : decodeRules(robots.rules ?? '');

/** Nothing is forbidden, and there may be a crawl delay. */
const withoutRules = ({ crawlDelayMs }: HostRobots): RobotsRules =>
  crawlDelayMs === undefined ? NO_RULES : { ...NO_RULES, crawlDelayMs };
