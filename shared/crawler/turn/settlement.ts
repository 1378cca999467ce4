import type { Cause } from '../../core/causes/cause.ts';
import { causeText } from '../../core/causes/cause-text.ts';
import type { HostLedger } from '../../core/frontier/ledger.ts';
import { isSeedRecord } from '../../core/frontier/rank.ts';
import { changeBetween } from '../../core/frontier/url-change.ts';
import { isRestoredDuplicate, type UrlRecord } from '../../core/frontier/url-record.ts';
import { pageUrl } from '../../core/url/request-url.ts';
import type { TurnCounters } from './counters.ts';
import type { HostPace } from './pace/host-pace.ts';
import type { RecrawlPlan } from './recrawl/recrawl-plan.ts';
import { type OnSeed, seedEventOf } from './seed-events.ts';
import type { TurnHooks } from './turn-hooks.ts';
import type { TurnOutput } from './turn-output.ts';
import { type OnWorkEvent, pageEventOf } from './work-events.ts';

export interface SettlementOptions {
  readonly host: string;
  readonly ledger: HostLedger;
  readonly counters: TurnCounters;
  readonly pace: HostPace;
  readonly recrawl: RecrawlPlan;
  readonly hooks: TurnHooks;
  readonly output: Pick<TurnOutput, 'takesChanges' | 'addChange'>;
  readonly onSeed?: OnSeed | undefined;
  readonly onEvent?: OnWorkEvent | undefined;
}

/** Gives URLs back to the ledger: with their outcome, or waiting again. */
export class Settlement {
  readonly #options: SettlementOptions;

  constructor(options: SettlementOptions) {
    this.#options = options;
  }

  /**
   * Gives a URL back. A seed that is done with is counted by its state, or by `seedOutcome`. Resolves when
   * the project's `onError` has ended; a caller that has many URLs to settle need not wait for that.
   */
  settle(record: UrlRecord, seedOutcome: string = record.state): Promise<void> {
    const { ledger, counters, hooks, recrawl, output } = this.#options;
    const { before, after } = ledger.settle(record);
    recrawl.demand.replace(before, after);
    const change = output.takesChanges ? changeBetween(before, after) : undefined;
    if (change) output.addChange(change);
    // Only the first outcome counts: a URL that is fetched again had one.
    const isFirst = before === undefined || (before.state === 'waiting' && !isRestoredDuplicate(before));
    if (isFirst && record.state !== 'waiting' && isSeedRecord(record)) counters.count('seeds', seedOutcome);
    return isFirst && record.state === 'failed'
      ? hooks.reportFailure(pageUrl(record.url), failureText(record))
      : SETTLED;
  }

  /** Replaces the outcome of a page that this turn has settled. What was counted and reported of it stays. */
  amend(record: UrlRecord): void {
    const { ledger, recrawl } = this.#options;
    const replaced = ledger.replaceOutcome(record);
    if (replaced) recrawl.demand.replace(replaced.before, replaced.after);
  }

  /** Reports a URL that is done. A URL that waits again is reported if it is a seed that has failed. */
  report(record: UrlRecord): void {
    const { onEvent, host } = this.#options;
    this.reportSeed(record);
    const event = onEvent && pageEventOf(host, record);
    if (event) onEvent(event);
  }

  /** Reports a seed that was not fetched to the operator. `cause`: why, if the record does not say it. */
  reportSeed(record: UrlRecord, cause?: Cause): void {
    const { onSeed, host, pace } = this.#options;
    if (!onSeed) return;
    const event = seedEventOf(
      { host, nextFetchAt: pace.wait?.until ?? pace.nextFetchAt, givenUp: pace.givenUp },
      record,
      cause,
    );
    if (event) onSeed(event);
  }
}

const SETTLED = Promise.resolve();

function failureText({ result }: UrlRecord): string {
  const { cause, httpStatus } = result ?? {};
  return cause ? causeText(cause) : httpStatus === undefined ? '' : `HTTP ${httpStatus}`;
}
