import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRequestSigner } from '../../../shared/crawler/fetcher/request-signer.ts';
import { isKept, openIdentity, withoutPrivateKey } from '../../../shared/engines/local/identity-file.ts';
import { needs } from '../../needs.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'strand-identity-'));
  file = join(folder, 'identity.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const AGENT = 'https://crawler.example.org';
const newJwk = (more: object = {}) => ({
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  ...more,
});

let changes = 0;
function write(keys: readonly object[]): void {
  writeFileSync(file, JSON.stringify({ agent: AGENT, keys }), { mode: 0o600 });
  chmodSync(file, 0o600);
  utimesSync(file, 1000 + changes, 1000 + changes++);
}

test('a key that is rotated while a crawl runs signs within a minute, and no request goes without a signature', () => {
  let now = 0;
  const warnings: string[] = [];
  const [old, next] = [newJwk({ exp: 4000 }), newJwk({ nbf: 2000 })];
  write([old]);
  const clock = () => now;
  const warn = (line: string) => warnings.push(line);
  const sign = createRequestSigner({
    identityOf: openIdentity({ key: file }, clock, warn),
    now: clock,
    onExpired: warn,
  });
  const keyAt = (second: number) => {
    now = second * 1000;
    const fields = sign({ url: 'https://example.com/', method: 'GET' });
    return /keyid="([^"]+)"/.exec(fields?.['Signature-Input'] ?? '')?.[1];
  };
  const first = keyAt(10);
  write([old, next]);
  expect(keyAt(1000)).toBe(first);
  expect(keyAt(1999)).toBe(first);
  const second = keyAt(2000);
  expect(second).toBeDefined();
  expect(second).not.toBe(first);
  write([next]);
  expect(keyAt(5000)).toBe(second);
  expect(warnings).toEqual([]);
});

needs('modes')('a changed file that cannot be used leaves the identity as it was, with one warning', () => {
  let now = 0;
  const warnings: string[] = [];
  write([newJwk()]);
  const identityOf = openIdentity(
    { key: file },
    () => now,
    (line) => warnings.push(line),
  );
  const before = identityOf();
  chmodSync(file, 0o644);
  utimesSync(file, 5000, 5000);
  for (now = 60_000; now < 300_000; now += 60_000) expect(identityOf()).toBe(before);
  expect(warnings).toEqual([expect.stringContaining('chmod 600')]);
  rmSync(file);
  now += 60_000;
  expect(identityOf()).toBe(before);
  expect(warnings).toHaveLength(2);
});

test('when the last key expires, requests go without signatures, and one warning says so', () => {
  const warnings: string[] = [];
  let now = 1000;
  const sign = createRequestSigner({
    identityOf: openIdentity(
      { agent: AGENT, key: newJwk({ exp: 2 }) },
      () => now,
      () => {},
    ),
    now: () => now,
    onExpired: (line) => warnings.push(line),
  });
  const request = { url: 'https://example.com/', method: 'GET' };
  expect(sign(request)).toBeDefined();
  now = 2000;
  expect([sign(request), sign(request)]).toEqual([undefined, undefined]);
  expect(warnings).toEqual([expect.stringContaining('strand identity rotate')]);
});

test('the settings that are kept with a crawl have no private key, and name a file from the root', () => {
  const jwk = newJwk();
  const kept = withoutPrivateKey({ maxPages: 3, identity: { agent: AGENT, key: jwk } });
  expect(JSON.stringify(kept)).not.toContain((jwk as { d?: string }).d);
  expect(kept).toMatchObject({ maxPages: 3, identity: { agent: AGENT } });
  expect([isKept(kept.identity), isKept({ key: jwk }), isKept({ key: 'a.json' })]).toEqual([
    false,
    true,
    true,
  ]);
  expect(withoutPrivateKey({ identity: { key: 'a.json' } }).identity).toEqual({
    key: join(process.cwd(), 'a.json'),
  });
});
