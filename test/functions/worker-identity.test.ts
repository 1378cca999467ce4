import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createWorkerIdentity } from '../../functions/worker-identity.ts';
import { verifyByRfc9421 } from '../core/identity/verifiers.ts';

const AGENT = 'https://crawler.example.org';
const HOUR = 3_600_000;
const REQUEST = { url: 'https://example.com/a', method: 'GET' };

const newJwk = (more: object = {}) =>
  ({ ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), ...more }) as never as {
    kty: 'OKP';
    crv: 'Ed25519';
    x: string;
    d: string;
  };
const identityOf = (...keys: object[]) => JSON.stringify({ agent: AGENT, keys });

/** A worker whose parameter has the value, or fails with the error. */
function setUp(first: string | Error) {
  const state = {
    value: first,
    now: 1_790_000_000_000,
    reads: 0,
    announced: [] as string[],
    lines: [] as unknown[],
  };
  const worker = createWorkerIdentity({
    parameter: '/strand/identity',
    clock: { now: () => state.now },
    log: (level, fields) => state.lines.push({ level, ...fields }),
    announce: async (trouble) => {
      state.announced.push(trouble);
      return true;
    },
    read: async () => {
      state.reads++;
      if (state.value instanceof Error) throw state.value;
      return state.value;
    },
  });
  return { state, ...worker, sign: worker.sign! };
}

test('a worker reads the identity once, signs by it, and reads it again after an hour', async () => {
  const [old, next] = [newJwk(), newJwk()];
  const { state, load, sign } = setUp(identityOf(old));
  expect(sign(REQUEST)).toBeUndefined();
  await load();
  await load();
  expect(state.reads).toBe(1);
  const fields = sign(REQUEST)!;
  const now = state.now / 1000;
  await verifyByRfc9421({ ...REQUEST, fields }, old, { now });
  state.value = identityOf(next);
  state.now += HOUR;
  await load();
  await verifyByRfc9421({ ...REQUEST, fields: sign(REQUEST)! }, next, { now: now + 3600 });
  expect([state.announced, state.lines]).toEqual([[], []]);
});

test.each<[string, string | Error, string?]>([
  ['is not there', Object.assign(new Error('not found'), { name: 'ParameterNotFound' })],
  ['may not be read', Object.assign(new Error('denied'), { name: 'AccessDeniedException' })],
  ['holds no JSON', 'hidden', 'Expected the parameter /strand/identity to hold an identity as JSON'],
  ['holds another key', identityOf({ kty: 'RSA', d: 'hidden' })],
  ['holds an expired key', identityOf(newJwk({ exp: 1000 }))],
])(
  'if the parameter %s, requests go unsigned, the operator is called, and the next minute tries again',
  async (_name, fault, cause = '') => {
    const { state, load, sign } = setUp(fault);
    await load();
    await load();
    expect(sign(REQUEST)).toBeUndefined();
    expect(state.announced).toEqual(['Identity']);
    expect(JSON.stringify(state.lines)).not.toContain('hidden');
    expect(JSON.stringify(state.lines)).toContain(cause);
    state.value = identityOf(newJwk());
    state.now += 60_000;
    await load();
    expect(sign(REQUEST)).toBeDefined();
  },
);

test('an identity that was read before stays in use if the parameter cannot be read again', async () => {
  const { state, load, sign } = setUp(identityOf(newJwk()));
  await load();
  state.value = new Error('throttled');
  state.now += HOUR;
  await load();
  expect(sign(REQUEST)).toBeDefined();
  expect(state.announced).toEqual(['Identity']);
});

test('a key that expires within two weeks signs, and the operator is called', async () => {
  const { state, load, sign } = setUp(identityOf(newJwk({ exp: 1_790_000_000 + 13 * 86_400 })));
  await load();
  expect(sign(REQUEST)).toBeDefined();
  expect(state.announced).toEqual(['Identity']);
  expect(JSON.stringify(state.lines)).toContain('strand identity rotate');
});

test('keys that expire while a worker runs are reported once', async () => {
  const { state, load, sign } = setUp(identityOf(newJwk({ exp: 1_790_000_000 + 10 })));
  await load();
  expect(sign(REQUEST)).toBeDefined();
  state.announced.length = 0;
  state.now += 10_000;
  expect([sign(REQUEST), sign(REQUEST)]).toEqual([undefined, undefined]);
  expect(state.announced).toEqual(['Identity']);
});

test('a stack without the parameter reads nothing and signs nothing', async () => {
  const worker = createWorkerIdentity({
    parameter: undefined,
    clock: { now: () => 0 },
    log: () => {},
    announce: async () => true,
    read: () => Promise.reject(new Error('read')),
  });
  await worker.load();
  expect(worker.sign).toBeUndefined();
});

test('an operator who cannot be called is a line of the log, and hinders no worker', async () => {
  const lines: object[] = [];
  const { load } = createWorkerIdentity({
    parameter: '/strand/identity',
    clock: { now: () => 1_790_000_000_000 },
    log: (level, fields) => void lines.push({ level, ...fields }),
    announce: async () => Promise.reject(new Error('no table')),
    read: async () => Promise.reject(new Error('denied')),
  });
  await expect(load()).resolves.toBeUndefined();
  expect(lines).toMatchObject([
    { level: 'warn', unusable: 'Identity', isEarlierInUse: false, cause: 'Error: denied' },
    { level: 'warn', notAnnounced: 'Identity', message: 'Error: no table' },
  ]);
});
