import { parseSchedule } from '../../core/crawl/schedule.ts';
import type { Crawl } from './crawls.ts';

/** Notices, once between two times of a crawl's schedule, that pages are fetched so late that they skip a time. */
export class LateWatch {
  /** As many as are known; undefined before the first look. */
  #late: number | undefined;
  #quietUntil = Number.NEGATIVE_INFINITY;

  /**
   * Returns a sentence for people if there is something new. `late`: counts the pages that skipped a time, as
   * `CrawlTotals.recrawl`. Pages that were late before the first look are nothing new.
   */
  look({ config }: Pick<Crawl, 'config'>, late: number, now: number): string | undefined {
    const { recrawlSchedule, recrawlTimeZone = 'UTC' } = config;
    const more = late - (this.#late ?? late);
    if (this.#late === undefined) this.#late = late;
    if (recrawlSchedule === undefined || more <= 0 || now < this.#quietUntil) return undefined;
    this.#late = late;
    this.#quietUntil = parseSchedule(recrawlSchedule, recrawlTimeZone).next(now) ?? Number.POSITIVE_INFINITY;
    const pages = more === 1 ? '1 page was' : `${more} pages were`;
    return `${pages} fetched only after the next time of the schedule, which is skipped for them: ${SHORT}`;
  }
}

const SHORT = 'the time between two is too short, or nothing ran at it';
