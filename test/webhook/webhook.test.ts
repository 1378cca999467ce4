import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../shared/fetcher/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../shared/fetcher/outcome/fetch-request.ts';
import { verifyWebhook } from '../../shared/webhook/signature.ts';
import { createWebhook, isWebhookTarget } from '../../shared/webhook/webhook.ts';

const TARGET = { url: 'https://hook.test/strand', secret: 'a secret of the test' };
const EVENT = {
  id: '1',
  type: 'crawlFinished',
  time: '2026-11-23T00:00:00Z',
  crawl: 'c',
  data: { pages: 3 },
};

/** A receiver that answers in this way. Numbers are HTTP statuses. */
function setUp(answers: readonly (number | 'down' | Error)[], startedAt = 1_700_000_000_000) {
  const requests: (FetchRequest & { readonly at: number })[] = [];
  let now = startedAt;
  let disposed = 0;
  const stopping = new AbortController();
  const webhook = createWebhook({
    target: TARGET,
    signal: stopping.signal,
    clock: {
      now: () => now,
      async sleep(ms) {
        now += ms;
      },
    },
    fetcher: {
      async fetch(request) {
        const answer = answers[requests.length] ?? 500;
        requests.push({ ...request, at: now });
        if (answer instanceof Error) throw answer;
        if (answer === 'down')
          return { status: 'failed', reason: 'connect', message: 'refused' } as FetchOutcome;
        const body = { dispose: async () => void disposed++ };
        return { status: 'response', httpStatus: answer, body } as unknown as FetchOutcome;
      },
    },
  });
  return { webhook, requests, stopping, disposed: () => disposed };
}

test('an event is a POST of JSON, signed with the time of the try', async () => {
  const { webhook, requests, disposed } = setUp([503, 204]);
  expect(await webhook.send(EVENT)).toBeUndefined();
  expect(requests.map(({ at }) => at)).toEqual([1_700_000_000_000, 1_700_000_001_000]);
  for (const { url, method, body = '', headers, at } of requests) {
    expect([url, method, JSON.parse(body)]).toEqual([TARGET.url, 'POST', EVENT]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-strand-event': 'crawlFinished' });
    const signature = headers?.['x-strand-signature'];
    expect(verifyWebhook(TARGET.secret, signature, body, { now: at, toleranceMs: 0 })).toBe(true);
  }
  expect(disposed()).toBe(2);
});

test('no event is signed with a time that has not come yet: a receiver may refuse it', async () => {
  const { webhook, requests } = setUp([200], 1_700_000_000_999);
  await webhook.send(EVENT);
  expect(requests[0]?.headers?.['x-strand-signature']).toMatch(/^t=1700000000,/);
});

describe('it is tried three times', () => {
  test.each([
    [[500, 500, 500], 'HTTP 500'],
    [['down', 'down', 'down'], 'refused'],
    [[200], undefined],
    [[302, 302, 302], 'HTTP 302'],
    [[404, 'down', 299], undefined],
    [[new Error('no disk'), 500, 410], 'HTTP 410'],
  ] as const)('%j gives %s', async (answers, fault) => {
    const { webhook, requests } = setUp(answers);
    expect(await webhook.send(EVENT)).toBe(fault);
    expect(requests).toHaveLength(answers.length);
  });

  test('unless the crawl is stopped', async () => {
    const { webhook, requests, stopping } = setUp([500]);
    stopping.abort();
    expect(await webhook.send(EVENT)).toBe('HTTP 500');
    expect(requests).toHaveLength(1);
  });
});

test.each([
  [TARGET, true],
  [{ ...TARGET, url: 'ftp://hook.test/' }, false],
  [{ ...TARGET, url: '/hook' }, false],
  [{ ...TARGET, secret: 'short' }, false],
  [{ url: TARGET.url }, false],
  [{ ...TARGET, events: [] }, false],
  [undefined, false],
  ['https://hook.test/', false],
])('%j is a target: %s', (target, isTarget) => {
  expect(isWebhookTarget(target)).toBe(isTarget);
});
