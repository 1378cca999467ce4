import { messageOf } from '../../core/base/error-message.ts';
import { StorageFailed } from '../../core/base/storage-failed.ts';
import { unlessStopped } from '../../core/base/unless-stopped.ts';
import type { Body } from '../../core/outcome/body.ts';
import {
  type FetchedResponse,
  type FetchFailure,
  type FetchOutcome,
  sentRequest,
} from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import { described } from '../../crawler/fetcher/failure.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { Fetcher } from '../../crawler/ports/fetcher.ts';
import type { HookError } from '../../crawler/ports/hook-error-log.ts';
import { inHook, outsideHooks } from '../project/hook-context.ts';
import type { FetchMiddleware } from '../project/project.ts';
import { oneLine, stackOf } from './run-hook.ts';

type Fetch = (request: FetchRequest) => Promise<FetchOutcome>;

export interface MiddlewareOptions {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Time limit of a fetch without middleware. */
  readonly totalTimeoutMs: number;
  /** Called with what a middleware threw. */
  readonly onFailure?: (error: HookError) => void;
}

/**
 * The longest time for all middleware without the fetch itself; part of the time that a turn has for its
 * commit.
 */
const OWN_MS = 1000;

/**
 * Wraps the fetcher in a project's middleware; the first is the outermost. If a middleware throws, returns a value that
 * is not an outcome, or takes too long, the fetch has failed, and the bodies received meanwhile are freed. Rejects only
 * with `StorageFailed`, where the fetcher does.
 */
export function withMiddleware(
  fetcher: Fetcher,
  middleware: readonly FetchMiddleware[],
  { clock, totalTimeoutMs, onFailure }: MiddlewareOptions,
): Fetcher {
  if (middleware.length === 0) return fetcher;
  const limitMs = totalTimeoutMs + OWN_MS;

  async function fetch(request: FetchRequest): Promise<FetchOutcome> {
    const startedAt = clock.now();
    const bodies: Body[] = [];
    const ending = new AbortController();
    const call = { source: 'middleware', url: request.url } as const;
    let isGivenUp = false;
    /** Requests that the site got, or may get yet. */
    let asked = 0;
    /** Not the middleware's doing, whatever that makes of it. */
    let storageFailed: StorageFailed | undefined;
    const innermost: Fetch = async (inner) => {
      asked++;
      const outcome = await outsideHooks(() => fetcher.fetch(inner)).catch((error) => {
        if (error instanceof StorageFailed) storageFailed = error;
        throw error;
      });
      if (!sentRequest(outcome)) asked--;
      if (outcome.status !== 'response') return outcome;
      // It comes too late to be used.
      if (isGivenUp) await outcome.body.dispose();
      else bodies.push(outcome.body);
      return outcome;
    };
    const outermost = middleware.reduceRight<Fetch>(
      // Also one that throws before its first `await`.
      (next, layer) => async (inner) => checked(await inHook(call, () => layer(inner, next))),
      innermost,
    );
    async function timeOut(): Promise<never> {
      await clock.sleep(limitMs, ending.signal);
      throw new Error(`Took longer than ${limitMs} ms (totalTimeoutMs and a second)`);
    }
    const givingUp = new AbortController();
    const signal = request.signal ? AbortSignal.any([request.signal, givingUp.signal]) : givingUp.signal;
    try {
      const fetching = Promise.race([outermost({ ...request, signal }), timeOut()]);
      const outcome = request.signal ? await unlessStopped(fetching, request.signal, clock) : await fetching;
      if (outcome === undefined) throw new Error('The crawl is being stopped');
      if (storageFailed) throw storageFailed;
      // The host is to rest from a request that the middleware has made besides.
      return asked > 0 && !sentRequest(outcome) ? { ...outcome, cache: { kind: 'miss' } } : outcome;
    } catch (error) {
      isGivenUp = true;
      givingUp.abort();
      for (const body of bodies) await body.dispose();
      if (storageFailed) throw storageFailed;
      const failed = failure(request, error, { startedAt, endedAt: clock.now() });
      if (failed.reason === 'middleware')
        onFailure?.({
          source: 'middleware',
          url: request.url,
          message: oneLine(messageOf(error)),
          stack: stackOf(error),
        });
      return failed;
    } finally {
      ending.abort();
    }
  }

  return { ...fetcher, fetch };
}

/** Code that no type checker has seen may give anything. */
function checked(outcome: FetchOutcome | undefined): FetchOutcome {
  if (outcome?.status === 'failed' && isFailure(outcome)) return outcome;
  if (outcome?.status === 'response' && isResponse(outcome)) return outcome;
  throw new Error('Expected the outcome of a fetch, got none');
}

const isFailure = ({ reason, message }: FetchFailure): boolean =>
  typeof reason === 'string' && typeof message === 'string';

const isResponse = ({ httpStatus, statusText, headers, body, requestHead }: FetchedResponse): boolean =>
  Number.isInteger(httpStatus) &&
  typeof statusText === 'string' &&
  Array.isArray(headers) &&
  headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText)) &&
  [body?.bytes, body?.chunks, body?.dispose].every((method) => typeof method === 'function') &&
  body.sha1 instanceof Uint8Array &&
  requestHead instanceof Uint8Array;

const isText = (value: unknown): boolean => typeof value === 'string';

function failure(
  { url, signal }: FetchRequest,
  error: unknown,
  times: Pick<FetchFailure, 'startedAt' | 'endedAt'>,
): FetchFailure {
  const text = messageOf(error);
  return {
    status: 'failed',
    url,
    ...times,
    // A fetch that was given up in the middle may well throw.
    ...described(signal?.aborted ? 'aborted' : 'middleware', `middleware: ${text}`),
  };
}
