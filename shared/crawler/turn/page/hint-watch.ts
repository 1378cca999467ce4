import type { HostRecrawl } from '../../../core/frontier/head.ts';
import type { RecrawlState, UrlRecord } from '../../../core/frontier/url-record.ts';
import { rateOfCode } from '../../../core/recrawl/change-rate.ts';
import {
  countHint,
  type HintCounts,
  hintCountsOf,
  hintedDays,
  hintTrust,
  isHint,
  NO_HINTS,
} from '../../../core/recrawl/hints.ts';

/** The hints of one page that count. */
const MAX_HINTS = 255;

/** How far a host's hints that its pages have changed are true, and what they make of a page's age. */
export class HintWatch {
  /** Undefined: the host has given none. */
  #counts: HintCounts | undefined;

  constructor(stored: HostRecrawl['hints']) {
    if (stored) this.#counts = hintCountsOf(stored);
  }

  /** As the head keeps it. */
  state(): HostRecrawl['hints'] {
    if (!this.#counts) return undefined;
    const { hintedChanged, hintedUnchanged, unhintedChanged, unhintedUnchanged } = this.#counts;
    return [
      rounded(hintedChanged),
      rounded(hintedUnchanged),
      rounded(unhintedChanged),
      rounded(unhintedUnchanged),
    ];
  }

  /** From now on the host's fetches are counted: it has a list that gives times. */
  begin(): void {
    this.#counts ??= NO_HINTS;
  }

  /** Counts the fetch of a page that was fetched before. */
  count({ kind, recrawl }: UrlRecord, hasChanged: boolean): void {
    if (this.#counts && kind === undefined)
      this.#counts = countHint(this.#counts, (recrawl?.hints ?? 0) > 0, hasChanged);
  }

  /** The page's state with a hint; undefined if the time says nothing new of it. */
  noted(record: UrlRecord, modifiedAt: number, now: number): RecrawlState | undefined {
    const { result, recrawl, kind } = record;
    if (!result || !recrawl || kind !== undefined) return undefined;
    const { hintedAt, hints = 0 } = recrawl;
    if (!isHint(modifiedAt, { fetchedAt: result.fetchedAt, hintedAt }, now)) return undefined;
    return { ...recrawl, hintedAt: modifiedAt, hints: Math.min(MAX_HINTS, hints + 1) };
  }

  /** By how many days its hints make a page older than it is. */
  daysOf({ hints = 0, rate }: RecrawlState): number {
    if (hints === 0 || !this.#counts) return 0;
    return hintedDays(hints, hintTrust(this.#counts), rateOfCode(rate));
  }
}

const rounded = (value: number): number => Number(value.toPrecision(6));
