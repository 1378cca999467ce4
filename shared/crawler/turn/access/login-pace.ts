import type { Cause } from '../../../core/causes/cause.ts';
import type { HostFailure } from '../../../core/frontier/politeness.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../core/outcome/fetch-request.ts';

/** The part of a host's pace that a login needs (`pace/host-pace.ts`). */
export interface LoginPace {
  waitForMoment(isLogin?: boolean): Promise<boolean>;
  exchange(request: Omit<FetchRequest, 'signal'>, crawlDelayMs?: number): Promise<FetchOutcome>;
  record(outcome: FetchOutcome, failure: HostFailure | undefined, crawlDelayMs: number | undefined): void;
  giveUp(cause: Cause): void;
  giveUpIfHopeless(): Promise<void>;
  waitForAccount(until: number): void;
  postponeTo(at: number): void;
  end(): void;
}
