import { isRefetch, type UrlRecord } from '../../../core/frontier/url-record.ts';
import {
  countVanishing,
  isVanished,
  NOTHING_VANISHED,
  type Vanishing,
} from '../../../core/recrawl/vanished-site.ts';
import { rounded } from './rounded.ts';

/** Fewer pages that are gone are not kept in the head. */
const LEAST_GONE = 0.1;

/** Counts known pages of a host that are not there any more: if most are not, that shows nothing of a single one. */
export class VanishingWatch {
  #state: Vanishing | undefined;

  constructor(stored: Vanishing | undefined) {
    this.#state = stored;
  }

  /** As it stands in the host's head. */
  get state(): Vanishing | undefined {
    return this.#state;
  }

  /** Counts the fetch of a known page. Returns whether it is not there, like most of its host. 410 is meant. */
  isVanished(before: UrlRecord, { state, result }: UrlRecord): boolean {
    if (!isRefetch(before) || before.state !== 'fetched' || !result || result.httpStatus === 410)
      return false;
    this.count(state === 'gone', result.fetchedAt);
    return state === 'gone' && isVanished(this.#state ?? NOTHING_VANISHED, result.fetchedAt);
  }

  /** Until a page is gone, nothing is kept. */
  count(isGone: boolean, now: number): void {
    if (!isGone && !this.#state) return;
    const { gone, there, since } = countVanishing(this.#state ?? NOTHING_VANISHED, isGone, now);
    this.#state =
      gone < LEAST_GONE
        ? undefined
        : { gone: rounded(gone), there: rounded(there), ...(since !== undefined && { since }) };
  }
}
