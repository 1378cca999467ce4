import { describe, expect, test } from 'vitest';
import { readStackSecrets } from '../../functions/stack-secrets.ts';
import { createWorkerSecrets } from '../../functions/worker-secrets.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';

const HOUR = 3_600_000;
const MARK = 'MARKED-SECRET-0123456789';
const SECRETS = {
  headers: { 'a.test': { 'X-Api-Key': MARK } },
  cookies: [{ domain: 'a.test', name: 'id', value: MARK }],
  auth: { '*.b.test': `user:${MARK}` },
  proxies: [{ url: `http://user:${MARK}@proxy.test:8080` }],
};

/** A worker whose parameter has the value, or fails with the error. */
function setUp(first: unknown) {
  const state = { value: first, now: 1_790_000_000_000, reads: 0, said: [] as unknown[] };
  const worker = createWorkerSecrets({
    parameter: '/strand/secrets',
    clock: { now: () => state.now },
    log: (level, fields) => state.said.push({ level, ...fields }),
    announce: async (trouble, fields) => state.said.push({ trouble, ...fields }) > 0,
    read: async () => {
      state.reads++;
      if (state.value instanceof Error) throw state.value;
      return typeof state.value === 'string' ? state.value : JSON.stringify(state.value);
    },
  });
  return { state, ...worker };
}

test('a worker reads the secrets once, makes requests by them, and reads them again after an hour', async () => {
  const { state, load, settingsOf } = setUp(SECRETS);
  await load();
  await load();
  expect(state.reads).toBe(1);
  const config = parseConfig({ contact: 'me@example.org' });
  expect(settingsOf(config)).toMatchObject({ ...SECRETS, contact: 'me@example.org' });
  expect(settingsOf(config)).toBe(settingsOf(config));
  state.value = { auth: { 'a.test': 'other:one' } };
  state.now += HOUR;
  await load();
  expect(settingsOf(config)).toMatchObject({ headers: {}, cookies: [], auth: { 'a.test': 'other:one' } });
  expect(state.said).toEqual([]);
});

test('the settings of a crawl come before the secrets of the stack', async () => {
  const { load, settingsOf } = setUp(SECRETS);
  await load();
  const own = {
    headers: { 'a.test': { 'X-Api-Key': 'own' } },
    auth: { 'c.test': 'own:one' },
    proxies: [{ url: 'http://own.test:1' }],
  };
  const settings = settingsOf(parseConfig(own));
  expect(settings).toMatchObject({ ...own, auth: { ...SECRETS.auth, ...own.auth } });
  // The last pattern that matches counts.
  expect(Object.keys(settings.auth)).toEqual(['*.b.test', 'c.test']);
});

test('without secrets, settings stay as they are', () => {
  const none = createWorkerSecrets({
    parameter: undefined,
    clock: { now: () => 0 },
    log: () => {},
    announce: async () => true,
  });
  const config = parseConfig({});
  expect(none.settingsOf(config)).toBe(config);
});

describe('secrets that cannot be used', () => {
  test.each([
    ['are no JSON', `{ ${MARK}`],
    ['have unknown keys', { ...SECRETS, tls: MARK }],
    ['have a header for any host', { headers: { '*': { 'X-Api-Key': MARK } } }],
    ['have a password for the seeds of any crawl', { auth: { seeds: `user:${MARK}` } }],
    ['have a password without a user', { auth: { 'a.test': MARK } }],
    ['have a header with a line end', { headers: { 'a.test': { 'X-A': `${MARK}\n` } } }],
    ['have a proxy that is none', { proxies: [{ url: MARK }] }],
    ['are of another kind', [MARK]],
    ['cannot be read', new Error('AccessDenied')],
  ])('%s: no request is made, the trouble is announced, and none of them is shown', async (_, value) => {
    const { state, load, settingsOf } = setUp(value);
    await load();
    let message = '';
    try {
      settingsOf(parseConfig({}));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain('/strand/secrets, cannot be used: no request is made');
    expect(state.said).toMatchObject([
      { level: 'warn', unusable: 'Secrets', isEarlierInUse: false },
      { trouble: 'Secrets' },
    ]);
    expect(message + JSON.stringify(state.said)).not.toContain(MARK);
    // It tries again a minute later.
    await load();
    expect(state.reads).toBe(1);
    state.now += 60_000;
    state.value = SECRETS;
    await load();
    expect(settingsOf(parseConfig({}))).toMatchObject(SECRETS);
  });

  test.each([
    [{ auth: { 'a.test': MARK } }, 'Expected auth.a.test to be user:password, got a value that is not shown'],
    [{ cookie: [] }, 'Unknown key cookie in the value; did you mean cookies?'],
    [{ headers: { seeds: {} } }, 'Expected headers to be names of hosts, neither * nor seeds'],
  ])('are named by their keys', (value, message) => {
    expect(() => readStackSecrets(value)).toThrow(message);
  });

  test('leave those in use that were read before', async () => {
    const { state, load, settingsOf } = setUp(SECRETS);
    await load();
    state.now += HOUR;
    state.value = 'broken';
    await load();
    expect(settingsOf(parseConfig({}))).toMatchObject(SECRETS);
    expect(state.said).toMatchObject([{ isEarlierInUse: true }, { trouble: 'Secrets' }]);
  });
});
