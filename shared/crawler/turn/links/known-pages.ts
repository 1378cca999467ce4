import type { HostLedger } from '../../../core/frontier/ledger.ts';
import type { RecrawlPlan } from '../recrawl/recrawl-plan.ts';
import type { TurnServices } from '../services.ts';

/** Records that one turn changes at most: they are held in memory until its commit. */
const MAX_ADOPTED = 20_000;
/** Records that are looked at between two pauses. */
const AT_ONCE = 1000;

export interface KnownPagesOptions {
  readonly ledger: HostLedger;
  readonly recrawl: RecrawlPlan;
}

/**
 * Gives due times to the pages of a host that were fetched while the crawl did not recrawl: once, after recrawl was
 * switched on. Reads the whole ledger. A host with many pages takes several turns for it.
 */
export class KnownPages {
  readonly #services: Pick<TurnServices, 'engine' | 'work'>;
  readonly #options: KnownPagesOptions;

  constructor(services: Pick<TurnServices, 'engine' | 'work'>, options: KnownPagesOptions) {
    this.#services = services;
    this.#options = options;
  }

  async adopt(): Promise<void> {
    const { ledger, recrawl } = this.#options;
    if (!recrawl.isStarting) return;
    const now = this.#services.engine.clock.now();
    let [seen, adopted] = [0, 0];
    for await (const record of ledger.records()) {
      if (++seen % AT_ONCE === 0) await this.#services.work.pause();
      const planned = recrawl.adopted(record, now);
      if (!planned) continue;
      if (adopted >= MAX_ADOPTED) return;
      adopted++;
      ledger.amend(planned);
      recrawl.demand.replace(record, planned);
    }
    recrawl.isStarting = false;
  }
}
