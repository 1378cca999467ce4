import { readRslLicense } from '../../core/parser/rsl-license.ts';
import { MAX_ROBOTS_BYTES } from '../../core/robots/parse-robots.ts';
import { expiry } from '../../core/robots/policy.ts';
import type { RobotsRules } from '../../core/robots/robots-rules.ts';
import { usageAt } from '../../core/robots/rules.ts';
import { usageFileKey, usageFilesOf, usageRules } from '../../core/robots/usage-files.ts';
import { origin as originOf, pathOf } from '../../core/url/host-key.ts';
import { makesUse, wantsTdm } from '../../core/usage/purpose.ts';
import { readTdmrep, TDMREP_PATH } from '../../core/usage/tdmrep-file.ts';
import type { UsageStatement } from '../../core/usage/usage-statement.ts';
import type { Quarantine } from './quarantine.ts';
import { headersOf } from './response-headers.ts';
import type { KnownRobots } from './robots/known-robots.ts';
import { RobotsFetcher, type RobotsFetcherOptions } from './robots/robots-fetcher.ts';
import { NO_RULES, type RobotsStore, STALE_MS } from './robots/robots-store.ts';
import type { TurnServices } from './services.ts';

export interface UsageKeeperOptions extends RobotsFetcherOptions {
  readonly known: KnownRobots;
  readonly store: RobotsStore;
  readonly quarantine: Quarantine;
}

/**
 * The statements of a host about the use of its content that hold for many pages: of robots.txt, and, in a crawl with a
 * purpose that heeds them, of the files beside it (`robots/usage-files.ts`), which are fetched at the host's pace, archived and
 * kept as robots.txt is.
 */
export class UsageKeeper {
  readonly #services: TurnServices;
  readonly #options: UsageKeeperOptions;
  readonly #fetcher: RobotsFetcher;
  /** Lanes that need the same file share one request. */
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(services: TurnServices, options: UsageKeeperOptions) {
    this.#services = services;
    this.#options = options;
    this.#fetcher = new RobotsFetcher(services, options);
  }

  /** False: {@link UsageKeeper.ofRobots} and {@link UsageKeeper.ofFiles} have nothing to say about the URL. */
  mayState(url: string): boolean {
    const { crawl, store } = this.#options;
    if (makesUse(crawl.config.purpose)) return true;
    if (crawl.config.robots === 'ignore') return false;
    const rules = store.lastInHead(originOf(url));
    return rules === undefined || rules.usage !== undefined;
  }

  /** Statements of robots.txt, as it is at the fetch, about the use of a URL's content. */
  async ofRobots(url: string): Promise<UsageStatement[]> {
    const rules = await this.#robotsOf(originOf(url));
    return rules?.usage === undefined ? [] : this.#statementsOf(rules, url);
  }

  /** Statements of the files that are kept about the use of a URL's content. */
  async ofFiles(url: string): Promise<UsageStatement[]> {
    const stated: UsageStatement[] = [];
    for (const file of await this.#files(url)) {
      const rules = await this.#options.store.last(usageFileKey(file));
      if (rules?.usage !== undefined) stated.push(...this.#statementsOf(rules, url));
    }
    return stated;
  }

  /** URLs of the files that are to be fetched before that URL. The robots.txt of its origin is known. */
  async missing(url: string): Promise<string[]> {
    const { known } = this.#options;
    const now = this.#now();
    return (await this.#files(url)).filter((file) => (known.of(usageFileKey(file))?.expiresAt ?? 0) <= now);
  }

  /** Fetches a file. The host's moment must have come. */
  fetch(file: string): Promise<void> {
    const fetched = this.#fetching.get(file) ?? this.#fetch(file).finally(() => this.#fetching.delete(file));
    this.#fetching.set(file, fetched);
    return fetched;
  }

  /**
   * A file that cannot be fetched, or redirects to another host, states nothing. If it failed, its previous statement
   * is kept until it is requested again, after some minutes.
   */
  async #fetch(file: string): Promise<void> {
    const { crawl, store } = this.#options;
    const key = usageFileKey(file);
    const fetched = await this.#fetcher.fetch(file, { isBeside: true });
    const soon = this.#now() + STALE_MS;
    if (fetched.kind !== 'judged') return store.keep(key, NO_RULES, soon);
    const { verdict, outcome, content } = fetched;
    try {
      if (outcome.status !== 'response' || verdict.kind === 'unreachable') {
        if (!(await store.knownLonger(key, soon))) await store.keep(key, NO_RULES, soon);
        return;
      }
      const expiresAt = expiry(this.#now(), headersOf(outcome, 'cache-control'), crawl.config.robotsMaxAgeMs);
      const isRead = verdict.kind === 'rules' && content !== undefined && outcome.truncated !== 'length';
      await store.keep(key, isRead ? await this.#read(file, content) : NO_RULES, expiresAt);
    } finally {
      if (outcome.status === 'response') await outcome.body.dispose();
    }
  }

  /** A file of more than `MAX_ROBOTS_BYTES` states nothing. */
  #read(file: string, body: Uint8Array): Promise<RobotsRules> {
    const { crawl, quarantine } = this.#options;
    const read = () => {
      if (body.length > MAX_ROBOTS_BYTES) return NO_RULES;
      const text = Buffer.from(body).toString('utf8');
      return usageRules(
        pathOf(file) === TDMREP_PATH ? readTdmrep(text) : readRslLicense(text, originOf(file)),
      );
    };
    return quarantine.watch(async () => this.#services.work.run(crawl.id, file, 'robots', read));
  }

  async #files(url: string): Promise<string[]> {
    const { purpose } = this.#options.crawl.config;
    if (!makesUse(purpose)) return [];
    const rules = await this.#robotsOf(originOf(url));
    return rules ? usageFilesOf(originOf(url), rules, wantsTdm(purpose)) : [];
  }

  async #robotsOf(origin: string): Promise<RobotsRules | undefined> {
    const { crawl, store } = this.#options;
    return crawl.config.robots === 'ignore' ? undefined : store.last(origin);
  }

  #statementsOf(rules: RobotsRules, url: string): UsageStatement[] {
    const { id } = this.#options.crawl;
    return this.#services.work.run(id, url, 'robots', () => usageAt(rules, pathOf(url)));
  }

  #now(): number {
    return this.#services.engine.clock.now();
  }
}
