import type { CrawlId } from '../core/crawl/crawl-id.ts';
import { fingerprint } from '../core/url/fingerprint.ts';
import type { Skip } from '../crawler/ports/skip-log.ts';

/** Recent links known by their fingerprints: 512 KiB. */
const CACHE_SLOTS = 2 ** 16;
/** The rest of longer URLs is not kept: `maxUrlLength` is 2,083 unless it is set. */
const MAX_URL_CHARS = 4096;

/** The link with a URL of bounded length. */
export const shortSkip = (skip: Skip): Skip =>
  skip.url.length <= MAX_URL_CHARS ? skip : { ...skip, url: skip.url.slice(0, MAX_URL_CHARS) };

/** The links noted last, by their fingerprints. */
export class RecentSkips {
  /**
   * Pairs of high and low halves. A slot that was never used holds zeros: that fingerprint is as good as
   * none.
   */
  #slots: Uint32Array | undefined;
  readonly #halves = new Uint32Array(2);
  /** Ids of reasons and crawls, which are few. */
  readonly #words = new Map<string, number>();

  /** The link's fingerprint; undefined if it is among the recent ones. */
  enter({ url, reason }: Skip, crawl: CrawlId): bigint | undefined {
    const halves = this.#halves;
    const mixedIn = Math.imul(this.#wordOf(reason), 3) ^ this.#wordOf(crawl);
    fingerprint(url, halves, 0);
    const high = ((halves[0] as number) ^ mixedIn) >>> 0;
    const low = ((halves[1] as number) + mixedIn) >>> 0;
    // Many processes never skip a link.
    this.#slots ??= new Uint32Array(2 * CACHE_SLOTS);
    const slot = 2 * (low & (CACHE_SLOTS - 1));
    if (this.#slots[slot] === high && this.#slots[slot + 1] === low) return undefined;
    this.#slots[slot] = high;
    this.#slots[slot + 1] = low;
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
  }

  #wordOf(text: string): number {
    let word = this.#words.get(text);
    if (word === undefined) {
      fingerprint(text, this.#halves, 0);
      word = this.#halves[0] as number;
      this.#words.set(text, word);
    }
    return word;
  }
}
