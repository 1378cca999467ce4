import { describe, expect, test } from 'vitest';
import { type ApiEvent, createApiHandler } from '../../functions/api-handler.ts';
import { createControl } from '../../shared/services/control/create-control.ts';
import { createFakeClock } from '../crawler/worker/fake-clock.ts';
import { createMemoryEngine } from '../crawler/worker/memory-engine.ts';
import { fakeStack } from './fake-stack.ts';

function setUp() {
  const clock = createFakeClock();
  const fake = fakeStack(createMemoryEngine(clock), clock);
  const { stack, log } = fake;
  const control = createControl(
    { ...stack.engine, wakeAll: async () => {} },
    { defaults: {}, allowPrivateAddresses: [], maxTotalTimeoutMs: 120_000 },
  );
  const handle = createApiHandler({ clock, log, stack, control });
  const call = (httpMethod: string, path: string, more: Partial<ApiEvent> = {}) =>
    handle({ httpMethod, path, queryStringParameters: null, body: null, isBase64Encoded: false, ...more });
  return { ...fake, clock, call };
}

const NEWS = JSON.stringify({
  crawl: 'news',
  seeds: ['https://a.test/'],
  config: { contact: 'me@example.org' },
});

describe('a request', () => {
  test.each([
    { body: NEWS, isBase64Encoded: false },
    { body: Buffer.from(NEWS).toString('base64'), isBase64Encoded: true },
  ])('with a body, base64: $isBase64Encoded, is answered with JSON', async (event) => {
    const { call, flushes } = setUp();
    const begun = await call('POST', '/crawls', event);
    expect(begun).toMatchObject({
      statusCode: 201,
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(JSON.parse(begun.body)).toMatchObject({ crawl: 'news', state: 'running' });
    expect(JSON.parse((await call('GET', '/crawls/news')).body)).toMatchObject({ crawl: 'news' });
    expect(flushes()).toBe(2);
  });

  test('by a wrong method names those that there are', async () => {
    const { call } = setUp();
    expect(await call('PUT', '/crawls')).toMatchObject({
      statusCode: 405,
      headers: { allow: 'POST, GET', 'cache-control': 'no-store' },
    });
  });

  test('is given its query', async () => {
    const { call } = setUp();
    await call('POST', '/crawls', { body: NEWS });
    const answer = await call('GET', '/crawls/news/hosts', { queryStringParameters: { limit: '0' } });
    expect(answer.statusCode).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'invalid', field: 'limit' } });
  });

  test('for what is not there, or that is nothing, is answered as such, and no error', async () => {
    const { call, logged } = setUp();
    expect((await call('GET', '/crawls/none')).statusCode).toBe(404);
    expect((await call('GET', '/')).statusCode).toBe(404);
    expect((await call('POST', '/crawls', { body: '{' })).statusCode).toBe(400);
    expect(logged.map(({ level, status }) => [level, status])).toEqual([
      ['info', 404],
      ['info', 404],
      ['info', 400],
    ]);
  });

  test('is logged with the time that it took', async () => {
    const { call, stack, logged, clock } = setUp();
    const { load } = stack.engine.registry;
    stack.engine.registry.load = async (crawl) => {
      clock.set(1500);
      return load(crawl);
    };
    await call('GET', '/crawls/none');
    expect(logged).toMatchObject([{ path: '/crawls/none', tookMs: 1500 }]);
  });

  test('that fails on our side is logged; the response does not say why', async () => {
    const { call, stack, logged } = setUp();
    stack.engine.registry.load = async () => {
      throw new Error('the table is gone');
    };
    const answer = await call('GET', '/crawls/news');
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('table');
    expect(logged).toMatchObject([
      { level: 'error', method: 'GET', path: '/crawls/news', message: 'Error: the table is gone' },
      { level: 'info', method: 'GET', path: '/crawls/news', status: 500 },
    ]);
  });

  test.each([
    [{ userArn: 'arn:aws:iam::1:user/ann', apiKeyId: null }, 'arn:aws:iam::1:user/ann'],
    [{ userArn: null, apiKeyId: 'k1' }, 'API key k1'],
    [{}, undefined],
  ])('of %j is logged with its caller, who is kept with the crawl', async (identity, caller) => {
    const { call, logged, stack } = setUp();
    const requestContext = {
      requestId: 'r1',
      identity: { ...identity, sourceIp: '192.0.2.7', userAgent: 'curl' },
    };
    const begun = await call('POST', '/crawls', { body: NEWS, requestContext });
    expect(logged).toEqual([
      {
        level: 'info',
        message: 'API request',
        method: 'POST',
        path: '/crawls',
        status: 201,
        caller,
        sourceIp: '192.0.2.7',
        userAgent: 'curl',
        requestId: 'r1',
        tookMs: 0,
      },
    ]);
    expect(JSON.parse(begun.body).begunBy).toBe(caller);
    expect((await stack.engine.registry.load('news'))?.begunBy).toBe(caller);
  });
});
