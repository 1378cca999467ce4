import type { HostRecrawl } from '../../../core/frontier/head.ts';
import { type ChangePool, EMPTY_POOL, observePool, priorRate } from '../../../core/recrawl/change-rate.ts';
import { createTemplatePools, type TemplatePools } from '../../../core/recrawl/template-pools.ts';
import { templateOf } from '../../../core/url/template-of.ts';
import { hashOfUrl } from '../links/hash-of-url.ts';
import { rounded } from './rounded.ts';

/** How often the pages of a host change, and those of its templates: assumed for pages that were hardly observed. */
export class HostRates {
  #pool: ChangePool;
  readonly #templates: TemplatePools;

  constructor(stored: HostRecrawl | undefined) {
    const [changes = 0, changedDays = 0, unchangedDays = 0] = stored?.pool ?? [];
    this.#pool = stored ? { changes, changedDays, unchangedDays } : EMPTY_POOL;
    const { templates } = stored ?? {};
    this.#templates = createTemplatePools(
      templates === undefined ? undefined : Buffer.from(templates, 'base64'),
    );
  }

  /** Takes in the fetch of a known page, `days` after the one before. */
  observe(url: string, days: number, hasChanged: boolean): void {
    this.#pool = observePool(this.#pool, days, hasChanged);
    this.#templates.observe(hashOfUrl(templateOf(url)), days, hasChanged);
  }

  /** Changes a day of pages like this one. */
  priorOf(url: string): number {
    return priorRate(this.#pool, this.#templates.of(hashOfUrl(templateOf(url))) ?? EMPTY_POOL);
  }

  /** As they stand in the host's head. */
  state(): Pick<HostRecrawl, 'pool' | 'templates'> {
    const { changes, changedDays, unchangedDays } = this.#pool;
    const templates = Buffer.from(this.#templates.bytes).toString('base64');
    return {
      pool: [rounded(changes), rounded(changedDays), rounded(unchangedDays)],
      ...(templates !== '' && { templates }),
    };
  }
}
