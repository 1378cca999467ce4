import type { RunEntry } from './run.ts';
import type { Part } from './run-stack.ts';
import { URL_STATES, type UrlState } from './url-record.ts';

/** The part of a head that describes the ledger. */
export interface LedgerIndex {
  /** Names of the segments, oldest first. */
  readonly segments: readonly string[];
  /** Newest first. */
  readonly runs: readonly RunEntry[];
  /** How many URLs are in each state. Their sum is the number of known URLs. */
  readonly counts: Readonly<Record<UrlState, number>>;
  /** How many of the waiting URLs are requisites. Undefined: none. */
  readonly waitingRequisites?: number;
}

export const EMPTY_INDEX: LedgerIndex = {
  segments: [],
  runs: [],
  counts: Object.fromEntries(URL_STATES.map((state) => [state, 0])) as Record<UrlState, number>,
};

/** The parts to store before the head that holds `index`, and the parts that may be deleted after it. */
export interface LedgerCommit {
  readonly parts: readonly Part[];
  readonly index: LedgerIndex;
  readonly obsolete: readonly string[];
}
