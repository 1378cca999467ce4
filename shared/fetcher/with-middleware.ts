import type { FetchMiddleware } from '../crawl/project.ts';
import type { Body, FetchedResponse, Fetcher, FetchFailure, FetchOutcome, FetchRequest } from '../ports.ts';

type Fetch = (request: FetchRequest) => Promise<FetchOutcome>;

/**
 * The fetcher behind a project's middleware, of which the first is the outermost. What a middleware throws, or gives
 * that is no outcome, becomes a failed fetch; and the bodies that came meanwhile are freed.
 */
export function withMiddleware(
  fetcher: Fetcher,
  middleware: readonly FetchMiddleware[],
  now: () => number = Date.now,
): Fetcher {
  if (middleware.length === 0) return fetcher;

  async function fetch(request: FetchRequest): Promise<FetchOutcome> {
    const startedAt = now();
    const bodies: Body[] = [];
    const innermost: Fetch = async (inner) => {
      const outcome = await fetcher.fetch(inner);
      if (outcome.status === 'response') bodies.push(outcome.body);
      return outcome;
    };
    const outermost = middleware.reduceRight<Fetch>(
      // Also one that throws before its first `await`.
      (next, layer) => async (inner) => checked(await layer(inner, next)),
      innermost,
    );
    try {
      return await outermost(request);
    } catch (error) {
      for (const body of bodies) await body.dispose();
      return failure(request, error, { startedAt, endedAt: now() });
    }
  }

  return { fetch, close: () => fetcher.close() };
}

/** Code that no type checker has seen may give anything. */
function checked(outcome: FetchOutcome | undefined): FetchOutcome {
  if (outcome?.status === 'failed' || (outcome?.status === 'response' && isResponse(outcome))) return outcome;
  throw new Error('Expected the outcome of a fetch, got none');
}

const isResponse = ({ httpStatus, headers, body }: FetchedResponse): boolean =>
  typeof httpStatus === 'number' && Array.isArray(headers) && typeof body === 'object';

function failure(
  { url, signal }: FetchRequest,
  error: unknown,
  times: Pick<FetchFailure, 'startedAt' | 'endedAt'>,
): FetchFailure {
  const text = error instanceof Error ? error.message : String(error);
  return {
    status: 'failed',
    url,
    ...times,
    // A fetch that was given up in the middle may well throw.
    reason: signal?.aborted ? 'aborted' : 'protocol',
    message: `${url}: middleware: ${text.replace(/\s+/g, ' ').trim().slice(0, 500)}`,
  };
}
