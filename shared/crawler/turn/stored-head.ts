import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import type { Head } from '../../core/frontier/head.ts';
import type { HostKey } from '../../core/url/host-key.ts';
import type { StateChange } from '../ports/shared-state.ts';
import type { TurnServices } from './services.ts';

/** The head as it is stored while a turn continues, and the only code of a turn that replaces it. */
export class StoredHead {
  readonly #services: Pick<TurnServices, 'engine' | 'hooks'>;
  readonly #crawl: CrawlId;
  readonly #host: HostKey;
  #head: Head;

  constructor(
    services: Pick<TurnServices, 'engine' | 'hooks'>,
    { crawl, host, head }: { readonly crawl: CrawlId; readonly host: HostKey; readonly head: Head },
  ) {
    this.#services = services;
    this.#crawl = crawl;
    this.#host = host;
    this.#head = head;
  }

  get head(): Head {
    return this.#head;
  }

  /** Fields of the next head. */
  get nextVersion(): number {
    return this.#head.version + 1;
  }

  /**
   * Keeps items for the next version. Without items, removes those that an attempt which was discarded has
   * left. Returns what the next head carries as `stagedItems`.
   */
  async stageItems(lines: readonly string[]): Promise<string | undefined> {
    return this.#services.engine.items?.stage(this.#crawl, this.#host, this.nextVersion, lines);
  }

  /** As above, for changes: returns the value of `stagedChanges` in the next head. */
  async stageChanges(lines: readonly string[]): Promise<string | undefined> {
    return this.#services.engine.changes?.stage(this.#crawl, this.#host, this.nextVersion, lines);
  }

  /** `changes`: of the state of hooks. Throws `StaleTurn` if another worker has continued with the host. */
  async replace(next: Omit<Head, 'version'>, changes: readonly StateChange[] = []): Promise<Head> {
    const head = { ...next, version: this.nextVersion };
    const { ledgers } = this.#services.engine;
    await ledgers.commit(this.#crawl, this.#host, head, ...(changes.length > 0 ? [changes] : []));
    this.#head = head;
    return head;
  }
}
