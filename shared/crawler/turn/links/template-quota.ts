import type { CrawlConfig } from '../../../core/crawl/crawl-options.ts';
import {
  createTemplateCounts,
  type QuotaUrl,
  quotaTemplateOf,
  type TemplateCounts,
} from '../../../core/frontier/template-counts.ts';

/**
 * How many pages of each URL template of its host a turn may still fetch (`maxPagesPerTemplate`). A page counts when it
 * is there, as for the host's share: redirects and failures do not. The counts are committed with the outcomes of the
 * pages, so a turn that is discarded has counted nothing.
 */
export class TemplateQuota {
  readonly #max: number | undefined;
  readonly #counts: TemplateCounts;
  /** Pages begun, by template. */
  readonly #inFlight = new Map<string, number>();
  /** Lanes that wait for the end of such a page. */
  readonly #waiting: (() => void)[] = [];
  /** Whether any template has all its pages: called for each link. */
  #hasFull: boolean;

  /** `stored`: as the head keeps it. */
  constructor({ maxPagesPerTemplate }: Pick<CrawlConfig, 'maxPagesPerTemplate'>, stored: string | undefined) {
    this.#max = maxPagesPerTemplate;
    this.#counts = createTemplateCounts(stored);
    this.#hasFull = maxPagesPerTemplate !== undefined && this.#counts.highest >= maxPagesPerTemplate;
  }

  /** The template of the URL if that has had all its pages. */
  fullTemplateOf(page: QuotaUrl): string | undefined {
    if (!this.#hasFull) return undefined;
    const template = quotaTemplateOf(page);
    return template !== undefined && this.#counts.of(template) >= (this.#max as number)
      ? template
      : undefined;
  }

  /** Reserves a page; waits while those in flight may become the last ones. False: there is none left. */
  async reserve(page: QuotaUrl): Promise<boolean> {
    for (;;) {
      if (this.tryReserve(page)) return true;
      if (this.fullTemplateOf(page) !== undefined) return false;
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  /** Reserves a page if that can be done at once. */
  tryReserve(page: QuotaUrl): boolean {
    const template = this.#max === undefined ? undefined : quotaTemplateOf(page);
    if (template === undefined) return true;
    const inFlight = this.#inFlight.get(template) ?? 0;
    if (this.#counts.of(template) + inFlight >= (this.#max as number)) return false;
    this.#inFlight.set(template, inFlight + 1);
    return true;
  }

  /** Ends a reservation: says whether it became a page. */
  end(page: QuotaUrl, isPage: boolean): void {
    const template = this.#max === undefined ? undefined : quotaTemplateOf(page);
    if (template === undefined) return;
    this.#inFlight.set(template, (this.#inFlight.get(template) ?? 1) - 1);
    if (isPage) this.#add(template);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Counts a page for which none was reserved: it is fetched again, and had failed or redirected before. */
  count(page: QuotaUrl): void {
    const template = this.#max === undefined ? undefined : quotaTemplateOf(page);
    if (template !== undefined) this.#add(template);
  }

  /** For the head. Undefined: the crawl has no such quota, or nothing was counted. */
  state(): string | undefined {
    return this.#max === undefined ? undefined : this.#counts.state();
  }

  #add(template: string): void {
    this.#counts.add(template);
    this.#hasFull ||= this.#counts.of(template) >= (this.#max as number);
  }
}
