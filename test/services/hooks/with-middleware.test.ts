import { describe, expect, test } from 'vitest';
import type { FetchedResponse, FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { Fetcher } from '../../../shared/crawler/ports/fetcher.ts';
import { withMiddleware } from '../../../shared/services/hooks/with-middleware.ts';
import type { FetchMiddleware } from '../../../shared/services/project/project.ts';
import { createFakeClock } from '../../crawler/worker/fake-clock.ts';
import { createScriptedFetcher, page } from '../../crawler/worker/scripted-fetcher.ts';

const URL_ = 'http://a.test/';

function setUp(...middleware: FetchMiddleware[]) {
  const clock = createFakeClock();
  const inner = createScriptedFetcher(clock, { [URL_]: page('/b'), [`${URL_}other`]: page() }, 0);
  return { clock, inner, fetcher: withMiddleware(inner, middleware, { clock, totalTimeoutMs: 5000 }) };
}

test('without middleware, it is the fetcher itself', () => {
  const { inner, fetcher } = setUp();
  expect(fetcher).toBe(inner);
});

test('the first is the outermost: it sees the request first and the outcome last', async () => {
  const seen: string[] = [];
  const note =
    (name: string): FetchMiddleware =>
    async (request, next) => {
      seen.push(`${name} asks`);
      const outcome = await next(request);
      seen.push(`${name} has it`);
      return outcome;
    };
  const { fetcher } = setUp(note('first'), note('second'));
  expect(await fetcher.fetch({ url: URL_ })).toMatchObject({ status: 'response', httpStatus: 200 });
  expect(seen).toEqual(['first asks', 'second asks', 'second has it', 'first has it']);
});

test('it may change the request, and answer it itself', async () => {
  const { fetcher, inner } = setUp(
    (request, next) => next({ ...request, url: `${URL_}other` }),
    async (request, next) => ({ ...(await next(request)), url: request.url }) as FetchOutcome,
  );
  expect(await fetcher.fetch({ url: URL_ })).toMatchObject({ url: `${URL_}other`, httpStatus: 200 });
  expect(inner.count(URL_)).toBe(0);

  const failure = {
    status: 'failed',
    url: URL_,
    startedAt: 1,
    endedAt: 2,
    reason: 'reset',
    message: 'no',
  } as const;
  const own = setUp(async () => failure);
  expect(await own.fetcher.fetch({ url: URL_ })).toBe(failure);
  expect(own.inner.log).toEqual([]);
});

describe('what breaks is a failed fetch of that URL', () => {
  test.each<[string, FetchMiddleware]>([
    [
      'that throws at once',
      () => {
        throw new Error('over\nthere');
      },
    ],
    ['that rejects', () => Promise.reject(new Error('over  there'))],
    [
      'that throws when the outcome is there',
      async (request, next) => {
        await next(request);
        throw new Error('over there');
      },
    ],
  ])('a middleware %s', async (_, middleware) => {
    const { fetcher, clock } = setUp(middleware);
    expect(await fetcher.fetch({ url: URL_ })).toEqual({
      status: 'failed',
      url: URL_,
      startedAt: clock.now(),
      endedAt: clock.now(),
      reason: 'middleware',
      code: 'middleware',
      message: 'middleware: over there',
    });
  });

  test.each([undefined, null, 'text', {}, { status: 'response' }, { status: 'done' }])(
    'a middleware that gives %j',
    async (given) => {
      const { fetcher } = setUp(async () => given as unknown as FetchOutcome);
      expect(await fetcher.fetch({ url: URL_ })).toMatchObject({
        reason: 'middleware',
        message: 'middleware: Expected the outcome of a fetch, got none',
      });
    },
  );

  test('an outer one can fix what an inner one breaks', async () => {
    const { fetcher } = setUp(
      async (request, next) => next(request).catch(() => next({ ...request, url: `${URL_}other` })),
      async (request, next) => {
        if (request.url === URL_) throw new Error('not this one');
        return next(request);
      },
    );
    expect(await fetcher.fetch({ url: URL_ })).toMatchObject({ status: 'response', url: `${URL_}other` });
  });

  test('a fetch that was given up meanwhile is aborted, which counts against nobody', async () => {
    const giving = new AbortController();
    const { fetcher } = setUp(async () => {
      giving.abort();
      throw new Error('aborted');
    });
    expect(await fetcher.fetch({ url: URL_, signal: giving.signal })).toMatchObject({ reason: 'aborted' });
  });

  test('bodies that came and went nowhere are freed', async () => {
    const disposed: string[] = [];
    const { inner, clock } = setUp();
    const counting: Fetcher = {
      ...inner,
      async fetch(request) {
        const outcome = (await inner.fetch(request)) as FetchedResponse;
        return {
          ...outcome,
          body: { ...outcome.body, dispose: async () => void disposed.push(request.url) },
        };
      },
    };
    const twice: FetchMiddleware = async (request, next) => {
      await next(request);
      await next(request);
      throw new Error('twice is enough');
    };
    const fetcher = withMiddleware(counting, [twice], { clock, totalTimeoutMs: 5000 });
    await fetcher.fetch({ url: URL_ });
    expect(disposed).toEqual([URL_, URL_]);
  });

  test('a middleware that gives nothing for too long; what comes later is freed', async () => {
    const { inner, clock } = setUp();
    let disposed = 0;
    let isNotified = false;
    const slow: Fetcher = {
      ...inner,
      async fetch(request) {
        request.signal?.addEventListener('abort', () => {
          isNotified = true;
        });
        const outcome = (await inner.fetch({ ...request, signal: undefined })) as FetchedResponse;
        return { ...outcome, body: { ...outcome.body, dispose: async () => void disposed++ } };
      },
    };
    const late: FetchMiddleware = async (request, next) => {
      await next(request);
      await clock.sleep(60_000);
      return next(request);
    };
    const fetcher = withMiddleware(slow, [late], { clock, totalTimeoutMs: 5000 });
    const outcome = await clock.drive(fetcher.fetch({ url: URL_ }));
    expect(outcome).toMatchObject({
      reason: 'middleware',
      message: 'middleware: Took longer than 6000 ms (totalTimeoutMs and a second)',
    });
    expect([disposed, isNotified]).toEqual([1, true]);
    await clock.advance(120_000);
    expect(disposed).toBe(2);
  });
});

test('one that awaits when the crawl is stopped delays it by 3 s at most', async () => {
  const { fetcher, clock } = setUp(() => new Promise(() => {}));
  const stopping = new AbortController();
  const outcome = fetcher.fetch({ url: URL_, signal: stopping.signal });
  stopping.abort();
  const stoppedAt = clock.now();
  expect(await clock.drive(outcome)).toMatchObject({ status: 'failed', reason: 'aborted' });
  expect(clock.now() - stoppedAt).toBe(3000);
});
