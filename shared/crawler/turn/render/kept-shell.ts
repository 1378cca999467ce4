import type { FetchedResponse, FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../core/outcome/memory-body.ts';
import type { Clock } from '../../ports/clock.ts';

/** A larger page is fetched for each of its routes. */
const MAX_BYTES = 2_000_000;
const MAX_AGE_MS = 600_000;

/** The page of the last route that a turn has visited: the next routes of it need no request for it. */
export class KeptShell {
  readonly #clock: Pick<Clock, 'now'>;
  #kept: FetchedResponse | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Returns the response as if it had been received now, without a request. */
  find(url: string): FetchedResponse | undefined {
    const now = this.#clock.now();
    const kept = this.#kept;
    if (kept?.url !== url || now - kept.startedAt > MAX_AGE_MS) return undefined;
    const { sentBytes: _, receivedBytes: __, ...rest } = kept;
    return { ...rest, startedAt: now, endedAt: now, cache: { kind: 'kept' } };
  }

  /** Keeps a page that was fetched whole. */
  async keep(outcome: FetchOutcome): Promise<void> {
    this.#kept = undefined;
    if (outcome.status !== 'response' || outcome.httpStatus !== 200 || outcome.truncated !== undefined)
      return;
    if (outcome.body.size > MAX_BYTES) return;
    this.#kept = { ...outcome, body: memoryBody(await outcome.body.bytes(), outcome.body.sha1) };
  }
}
