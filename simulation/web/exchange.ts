/** One exchange as the world sees it: what comes when, planned as the request reaches the server. */
import { hash } from 'node:crypto';
import type { FailureReason } from '../../shared/core/outcome/failure-codes.ts';
import type { FetchedResponse } from '../../shared/core/outcome/fetch-outcome.ts';
import type { Answer, Responded } from './responses.ts';

/** The response that the client gets. Times are the world's. */
export type Exchange =
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly endedAt: number;
      readonly isStaleConnection?: boolean;
    }
  | {
      readonly kind: 'response';
      readonly response: Responded;
      readonly headAt: number;
      readonly endedAt: number;
      /** Those that come, and their SHA-1. */
      readonly bytes: Uint8Array;
      readonly sha1: Uint8Array;
      readonly truncated?: FetchedResponse['truncated'];
    };

/** The client gives up at `giveUpAt`, and takes `maxBodyBytes` at most. */
export function planExchange(
  answer: Answer,
  startedAt: number,
  giveUpAt: number,
  maxBodyBytes = Number.POSITIVE_INFINITY,
): Exchange {
  const late = { kind: 'failed', reason: 'timeout', endedAt: giveUpAt } as const;
  if (answer.kind === 'failed') {
    const endedAt = Math.ceil(startedAt + answer.afterMs);
    const { reason, isStaleConnection } = answer;
    return endedAt < giveUpAt
      ? { kind: 'failed', reason, endedAt, ...(isStaleConnection && { isStaleConnection }) }
      : late;
  }
  const headAt = startedAt + answer.headMs;
  if (headAt >= giveUpAt) return late;
  const { body, cut, bodyMs } = answer;
  const arriving = cut ? cut.bytes : body.length;
  const wholeAt = cut && !cut.isEnd ? Number.POSITIVE_INFINITY : headAt + bodyMs;
  const came = (bytes: Uint8Array, endedAt: number, truncated?: FetchedResponse['truncated']): Exchange => ({
    kind: 'response',
    response: answer,
    headAt,
    endedAt,
    bytes,
    sha1: hash('sha1', bytes, 'buffer'),
    ...(truncated && { truncated }),
  });
  // The limit is noticed with the byte beyond it.
  if (arriving > maxBodyBytes)
    return came(body.subarray(0, maxBodyBytes), Math.min(wholeAt, headAt + bodyMs), 'length');
  if (wholeAt < giveUpAt) return came(body.subarray(0, arriving), wholeAt, cut && 'disconnect');
  if (cut) return came(body.subarray(0, arriving), giveUpAt, 'time');
  const share = (giveUpAt - headAt) / bodyMs;
  return came(body.subarray(0, Math.floor(arriving * share)), giveUpAt, 'time');
}
