import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../../shared/core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../../shared/core/outcome/fetch-request.ts';
import { verifyWebhook } from '../../../shared/services/webhook/signature.ts';
import { createWebhook, isWebhookTarget } from '../../../shared/services/webhook/webhook.ts';

const TARGET = { url: 'https://hook.test/strand', secret: 'a secret of the test' };
/** An answer that cannot be read to its end. */
const LOST = 207;
const EVENT = {
  id: '1',
  type: 'crawlFinished',
  time: '2026-11-23T00:00:00Z',
  crawl: 'c',
  data: { pages: 3 },
};

/** A receiver that answers in this way. Numbers are HTTP statuses. */
function setUp(
  answers: readonly (number | 'down' | Error)[],
  startedAt = 1_700_000_000_000,
  canBeStopped = true,
  target = TARGET,
) {
  const requests: (FetchRequest & { readonly at: number })[] = [];
  let now = startedAt;
  let disposed = 0;
  let asleep: (ms: number) => void = () => {};
  const stopping = new AbortController();
  const webhook = createWebhook({
    target,
    ...(canBeStopped && { signal: stopping.signal }),
    clock: {
      now: () => now,
      // As long as it lasts, or until the signal aborts.
      async sleep(ms, signal) {
        asleep(ms);
        await new Promise((resolve) => setImmediate(resolve));
        if (!signal?.aborted) now += ms;
      },
    },
    fetcher: {
      async fetch(request) {
        const answer = answers[requests.length] ?? 500;
        requests.push({ ...request, at: now });
        if (answer instanceof Error) throw answer;
        if (answer === 'down')
          return { status: 'failed', reason: 'connect', message: 'refused' } as FetchOutcome;
        const body = {
          async dispose() {
            await new Promise((resolve) => setImmediate(resolve));
            if (answer === LOST) throw new Error('the rest is lost');
            disposed++;
          },
        };
        return { status: 'response', httpStatus: answer, body } as unknown as FetchOutcome;
      },
    },
  });
  const onSleep = (work: (ms: number) => void) => {
    asleep = work;
  };
  return { webhook, requests, stopping, now: () => now, disposed: () => disposed, onSleep };
}

test('an event is a POST of JSON, signed with the time of the try', async () => {
  const { webhook, requests, disposed, stopping } = setUp([503, 500, 204]);
  expect(await webhook.send(EVENT)).toBeUndefined();
  expect(disposed()).toBe(3);
  expect(requests.map(({ at }) => at)).toEqual([1_700_000_000_000, 1_700_000_001_000, 1_700_000_006_000]);
  for (const { at, ...request } of requests) {
    const { body = '', headers } = request;
    const signature = headers?.['x-strand-signature'];
    expect(request).toEqual({
      url: TARGET.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-strand-event': 'crawlFinished',
        'x-strand-signature': signature,
      },
      body: JSON.stringify(EVENT),
      // A receiver that answers with megabytes costs no memory.
      maxBodyBytes: 1024,
      signal: stopping.signal,
    });
    expect(verifyWebhook(TARGET.secret, signature, String(body), { now: at, toleranceMs: 0 })).toBe(true);
  }
});

test('the user and the password of the URL are sent as HTTP Basic authentication', async () => {
  const target = { ...TARGET, url: 'https://me%40x:pass%20w%C3%B6rd@hook.test/strand' };
  const { requests, webhook } = setUp([200], undefined, false, target);
  await webhook.send(EVENT);
  const [scheme, value] = requests[0]!.headers!.authorization!.split(' ');
  expect([scheme, Buffer.from(value!, 'base64').toString()]).toEqual(['Basic', 'me@x:pass wörd']);
});

test('a sender that cannot be stopped sends no signal', async () => {
  const { requests, webhook } = setUp([200], undefined, false);
  await webhook.send(EVENT);
  expect(requests[0]).not.toHaveProperty('signal');
});

test('an event that was received is over at once, and is sent again if its sender has it sent again', async () => {
  const { webhook, requests, now } = setUp([200, 500, 200]);
  await webhook.send(EVENT);
  expect(now()).toBe(1_700_000_000_000);
  expect(await webhook.send(EVENT)).toBeUndefined();
  expect(requests.map(({ at }) => at - 1_700_000_000_000)).toEqual([0, 0, 1000]);
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
    [[300, 199, 300], 'HTTP 300'],
    [[404, 'down', 299], undefined],
    [[new Error('no disk'), 500, 410], 'HTTP 410'],
    [[500, 500, new Error('no disk')], 'no disk'],
    [[LOST, LOST, LOST], 'the rest is lost'],
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

  test('unless its own signal aborts, which the request has, too', async () => {
    const { webhook, requests, onSleep } = setUp([500, 200]);
    const own = new AbortController();
    onSleep(() => own.abort());
    expect(await webhook.send(EVENT, own.signal)).toBe('HTTP 500');
    expect(requests.map(({ signal }) => signal)).toEqual([own.signal]);
  });

  test.each([1, 2])('unless the crawl is stopped while it waits for try %s and one more', async (tries) => {
    const { webhook, requests, stopping, onSleep } = setUp([500, 503, 'down']);
    onSleep(() => {
      if (requests.length === tries) stopping.abort();
    });
    expect(await webhook.send(EVENT)).toBe(tries === 1 ? 'HTTP 500' : 'HTTP 503');
    expect(requests).toHaveLength(tries);
  });
});

test.each([
  [TARGET, true],
  [{ ...TARGET, url: 'http://hook.test/' }, true],
  [{ ...TARGET, url: 'ftp://hook.test/' }, false],
  [{ ...TARGET, url: 7 }, false],
  [{ ...TARGET, url: new URL(TARGET.url) }, false],
  [{ ...TARGET, secret: 'x'.repeat(16) }, true],
  [{ ...TARGET, secret: 'x'.repeat(15) }, false],
  [{ ...TARGET, secret: Array(20).fill('x') }, false],
  [{ ...TARGET, url: '/hook' }, false],
  [{ ...TARGET, secret: 'short' }, false],
  [{ url: TARGET.url }, false],
  [{ ...TARGET, events: [] }, false],
  [undefined, false],
  ['https://hook.test/', false],
])('%j is a target: %s', (target, isTarget) => {
  expect(isWebhookTarget(target)).toBe(isTarget);
});
