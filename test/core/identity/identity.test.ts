import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  checkKeys,
  expiryWarning,
  keyAt,
  readAgent,
  readIdentity,
} from '../../../shared/core/identity/identity.ts';

const newJwk = (more: object = {}) => ({
  ...(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as { x: string; d: string }),
  ...more,
});
const AGENT = 'https://crawler.example.org';
const read = (value: unknown, agent?: string) => readIdentity(value, { where: 'identity.json', agent });

describe('the agent', () => {
  test.each([
    ['https://crawler.example.org', 'https://crawler.example.org'],
    ['https://crawler.example.org/', 'https://crawler.example.org'],
    ['https://Crawler.Example.org:443', 'https://crawler.example.org'],
    ['https://crawler.example.org:8443', 'https://crawler.example.org:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ])('%s is written as %s', (given, agent) => {
    expect(readAgent(given)).toBe(agent);
  });

  test.each([
    [undefined, 'it is missing'],
    ['', 'got ""'],
    ['crawler.example.org', 'got "crawler.example.org"'],
    ['http://crawler.example.org', 'by https only'],
    ['https://crawler.example.org/bot', 'the path of the directory is fixed'],
    ['https://crawler.example.org/?a', 'the path of the directory is fixed'],
    [42, 'a value of type number'],
    [`https://${'a'.repeat(1000)}.example`, 'https origin'],
  ])('%j is refused', (given, message) => {
    expect(() => readAgent(given)).toThrow(message);
  });

  test('a password in it is refused, and not shown', () => {
    expect(() => readAgent('https://me:secret@crawler.example.org')).toThrow(/^(?!.*secret)/);
  });
});

describe('keys', () => {
  test('an identity is an agent with keys, or one key and an agent', () => {
    const jwk = newJwk();
    const [inFile, bare] = [read({ agent: AGENT, keys: [jwk] }), read(jwk, AGENT)];
    expect(inFile.keys[0]!.keyid).toBe(bare.keys[0]!.keyid);
    expect([inFile.agent, bare.agent]).toEqual([AGENT, AGENT]);
    expect(read({ agent: AGENT, keys: [jwk] }, 'https://other.example').agent).toBe('https://other.example');
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const x25519 = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  const { d: _, ...publicOnly } = newJwk();

  test.each([
    ['RSA', rsa, 'got a key of type RSA'],
    ['P-256', ec, 'got a key of type EC, curve P-256'],
    ['X25519', x25519, 'got a key of type OKP, curve X25519'],
    ['a public key', publicOnly, 'got a public one'],
    ['nothing', undefined, 'not shown'],
    ['a text', 'MC4CAQAwBQYDK2VwBCIEIEVNrd3wIZG3', 'not shown'],
    ['a key that is too short', newJwk({ d: 'abc' }), 'wrong: d'],
    ['a number', newJwk({ d: 1 }), 'wrong: d'],
    ['the public half of another key', newJwk({ x: newJwk().x }), 'another key'],
    ['a time that is none', newJwk({ exp: 'tomorrow' }), 'wrong: exp'],
    ['an end before the beginning', newJwk({ nbf: 2000, exp: 1000 }), 'exp'],
    ['no keys', { agent: AGENT, keys: [] }, '1 to 20 keys'],
    ['keys that are no list', { agent: AGENT, keys: {} }, '1 to 20 keys'],
  ])('%s is refused, and no secret is in the message', (_name, value, message) => {
    const d = String((value as { d?: unknown } | undefined)?.d ?? 'MC4CAQAw');
    let text = '';
    try {
      read(value, AGENT);
    } catch (error) {
      text = `${error} ${(error as Error).stack} ${(error as Error).cause}`;
    }
    expect(text).toContain(message);
    expect(text).toContain('identity.json');
    if (d.length > 3) expect(text).not.toContain(d);
  });

  test('one key twice is refused', () => {
    const jwk = newJwk();
    expect(() => read({ agent: AGENT, keys: [jwk, jwk] })).toThrow('one of them twice');
  });
});

describe('which key signs', () => {
  const keys = [newJwk({ exp: 2000 }), newJwk({ nbf: 1000, exp: 3000 }), newJwk({ nbf: 2500 })];
  const identity = read({ agent: AGENT, keys });
  const at = (second: number, some = identity.keys) => some.indexOf(keyAt(some, second * 1000)!);

  test('the newest one whose time has begun, without a gap', () => {
    expect([0, 999, 1000, 2499, 2500, 9999].map((second) => at(second))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('a warning comes two weeks before the last of them expires', () => {
    const day = 86_400;
    const some = read({
      agent: AGENT,
      keys: [newJwk({ exp: 20 * day }), newJwk({ nbf: 18 * day, exp: 40 * day })],
    });
    const warningAt = (days: number) => expiryWarning(some, days * day * 1000, 'identity.json');
    expect([warningAt(15), warningAt(25.9)]).toEqual([undefined, undefined]);
    expect(warningAt(26.1)).toContain('The key in identity.json expires on 1970-02-10');
    const endless = read({ agent: AGENT, keys: [newJwk()] });
    expect(expiryWarning(endless, Date.now(), 'x')).toBeUndefined();
  });

  test('none before the first and after the last', () => {
    const some = read({ agent: AGENT, keys: [newJwk({ nbf: 1000, exp: 2000 })] });
    expect([999, 1000, 1999, 2000].map((second) => at(second, some.keys))).toEqual([-1, 0, 0, -1]);
    expect(() => checkKeys(some, 2_000_000, 'identity.json')).toThrow(
      'expired on 1970-01-01 00:33: strand identity rotate',
    );
    expect(() => checkKeys(some, 0, 'identity.json')).toThrow('not valid before 1970-01-01 00:16');
    checkKeys(some, 1_500_000, 'identity.json');
  });
});
