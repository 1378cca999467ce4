import { expect, test } from 'vitest';
import type { FetchedResponse } from '../../../../shared/core/outcome/fetch-outcome.ts';
import type { ResponseCache } from '../../../../shared/engines/local/cache/response-cache.ts';
import { withCache } from '../../../../shared/engines/local/cache/with-cache.ts';
import { createFakeClock } from '../../../crawler/worker/fake-clock.ts';
import { createScriptedFetcher, page } from '../../../crawler/worker/scripted-fetcher.ts';

const URL_ = 'http://a.test/';

function open(found: Awaited<ReturnType<ResponseCache['find']>>) {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const cache = { find: async () => found, close: async () => {} };
  const network = createScriptedFetcher(clock, { [URL_]: page() }, 0);
  const fetcher = withCache(network, cache, { now: clock.now, warn: (line) => warnings.push(line) });
  return { fetcher, network, warnings };
}

test('a response of the cache is the answer, unless the site is to be asked', async () => {
  const stored = { status: 'response', cache: { kind: 'hit', recordId: '<x>' } } as FetchedResponse;
  const { fetcher } = open(stored);
  expect(await fetcher.fetch({ url: URL_ })).toBe(stored);
  expect(await fetcher.fetch({ url: URL_, cache: 'only' })).toBe(stored);
  expect(await fetcher.fetch({ url: URL_, cache: 'bypass' })).toMatchObject({
    httpStatus: 200,
    cache: { kind: 'miss' },
  });
});

test('without one the site is asked, unless only the cache may answer', async () => {
  const { fetcher } = open('none');
  expect(await fetcher.fetch({ url: URL_ })).toMatchObject({ httpStatus: 200, cache: { kind: 'miss' } });
  expect(await fetcher.fetch({ url: URL_, cache: 'only' })).toMatchObject({
    status: 'failed',
    reason: 'aborted',
    isNotSent: true,
    cache: { kind: 'withoutRequest' },
  });
});

test('the first damaged responses are named', async () => {
  const { fetcher, warnings } = open({ damage: 'f.warc.gz at 7: it is torn' });
  for (let i = 0; i < 9; i++)
    expect(await fetcher.fetch({ url: URL_ })).toMatchObject({ cache: { kind: 'unreadable' } });
  expect(warnings).toHaveLength(5);
  expect(warnings[0]).toBe(
    `The cache's response of ${URL_} cannot be read, so it is fetched: f.warc.gz at 7: it is torn`,
  );
});
