import type { HostConfig } from '../../core/crawl/config.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Scope } from '../../core/crawl/scope.ts';
import type { Site, Sites } from '../../core/crawl/sites.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { Budget } from '../crawl-state/budget.ts';
import type { Crawl } from '../crawl-state/crawls.ts';
import { type CrawlStatus, CrawlTooLarge } from '../ports/crawl-registry.ts';
import type { EarlierCrawl } from '../ports/payload-index.ts';
import type { TurnServices } from './services.ts';

/**
 * The crawl that a turn works for, with the settings of the turn's host. Its properties are those of the
 * record that {@link TurnCrawl.current} loaded last: that method alone decides how fresh they are.
 */
export class TurnCrawl {
  readonly id: CrawlId;
  readonly host: HostKey;
  readonly budget: Budget;
  readonly #services: Pick<TurnServices, 'crawls' | 'engine'>;
  /** With the settings of all hosts. */
  #loaded: Crawl;
  #config: HostConfig;
  #site: Site | undefined;
  #isGone = false;

  constructor(services: Pick<TurnServices, 'crawls' | 'engine'>, loaded: Crawl, host: HostKey) {
    this.id = loaded.id;
    this.host = host;
    this.budget = loaded.budget;
    this.#services = services;
    this.#loaded = loaded;
    this.#config = loaded.configOf(host);
    this.#site = loaded.sites?.of(host);
  }

  /**
   * Loads the record again if it is older than two seconds. A crawl that is not there any more counts as
   * stopped.
   */
  async current(): Promise<this> {
    if (!this.isCurrent()) this.#take(await this.#services.crawls.get(this.id));
    return this;
  }

  /** Does what {@link TurnCrawl.current} does if nothing has to be loaded for it. False: something has. */
  isCurrent(): boolean {
    const loaded = this.#services.crawls.fresh(this.id);
    if (loaded !== undefined) this.#take(loaded);
    return loaded !== undefined;
  }

  #take(loaded: Crawl | undefined): void {
    this.#isGone = loaded === undefined;
    if (loaded === undefined || loaded === this.#loaded) return;
    this.#loaded = loaded;
    this.#config = loaded.configOf(this.host);
    this.#site = loaded.sites?.of(this.host);
  }

  /** Loads the record again, whatever its age. */
  async latest(): Promise<this> {
    this.#services.crawls.refresh(this.id);
    return this.current();
  }

  async isRunning(): Promise<boolean> {
    return (await this.current()).status === 'running';
  }

  get status(): CrawlStatus {
    return this.#isGone ? 'stopped' : this.#loaded.status;
  }

  /** The settings that hold for the turn's host. */
  get config(): HostConfig {
    return this.#config;
  }

  /** The sites of the crawl, if it has a list of them, and the one that the turn's host belongs to. */
  get sites(): Sites | undefined {
    return this.#loaded.sites;
  }

  get site(): Site | undefined {
    return this.#site;
  }

  get scope(): Scope {
    return this.#loaded.scope;
  }

  /** The crawl with the settings of all hosts, for which fetchers are made. */
  get everywhere(): Crawl {
    return this.#loaded;
  }

  /** The turn's host in the earlier crawl whose payloads are not stored again. */
  get earlier(): EarlierCrawl | undefined {
    const { dedupeFrom } = this.#loaded;
    return dedupeFrom === undefined ? undefined : { crawl: dedupeFrom, host: this.host };
  }

  /** The form under which the crawl knows a canonical URL: by its URL rules. */
  nameOf(url: string): string {
    return this.#loaded.nameOf(url);
  }

  /** Draws the scope around this URL, too. False: the crawl's record cannot hold it. */
  async widenScope(url: string): Promise<boolean> {
    try {
      await this.#services.engine.registry.addScopeSeeds(this.id, [url]);
    } catch (error) {
      if (error instanceof CrawlTooLarge) return false;
      throw error;
    }
    this.#services.crawls.refresh(this.id);
    return true;
  }

  /**
   * Sets a crawl running again that was called finished, or limited, while links were on their way to this
   * host.
   */
  async revive(): Promise<void> {
    const { crawls, engine } = this.#services;
    await engine.registry.setStatus(this.id, 'running', undefined, { from: [this.status] });
    crawls.refresh(this.id);
    await this.current();
  }
}
