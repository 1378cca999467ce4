import { createPublicKey, generateKeyPairSync, hash, verify as verifyBytes } from 'node:crypto';
import { component, verifySignature } from 'http-message-sig';
import { describe, expect, test } from 'vitest';
import { DIRECTORY_PATH, directoryOf } from '../../../shared/core/identity/directory.ts';
import { type Identity, keyAt, readIdentity } from '../../../shared/core/identity/identity.ts';
import { newIdentity, type PrivateJwk, rotateKeys } from '../../../shared/core/identity/rotate-keys.ts';
import { signComponents } from '../../../shared/core/identity/signature-base.ts';
import { readSigningKey, thumbprintOf } from '../../../shared/core/identity/signing-key.ts';

const AGENT = 'https://crawler.example.org';
const DAY = 86_400;
const START = 1_790_000_000;

const newJwk = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never as PrivateJwk;
const read = (value: unknown): Identity => readIdentity(value, { where: 'identity.json' });
const created = () => newIdentity(AGENT, { jwk: newJwk(), days: 365 }, START * 1000);

/** Verifies the proof of one key in a directory's response. */
async function verifyDirectory(
  { body, headers }: { readonly body: string; readonly headers: Readonly<Record<string, string>> },
  { label, now, agent = AGENT }: { readonly label: string; readonly now: number; readonly agent?: string },
): Promise<string> {
  const { keys } = JSON.parse(body);
  expect(headers['Content-Digest']).toBe(`sha-256=:${hash('sha256', body, 'base64')}:`);
  const { parameters } = await verifySignature(
    {
      kind: 'response',
      status: 200,
      fields: Object.entries(headers).map(([name, value]) => ({ name, value })),
      request: { kind: 'request', method: 'GET', targetUri: agent + DIRECTORY_PATH, fields: [] },
    },
    {
      label,
      policy: {
        algorithms: ['ed25519'],
        requiredComponents: [component('@authority', { req: true }), 'content-digest'],
        requiredParameters: ['created', 'expires', 'keyid', 'tag'],
        now,
        validate: ({ parameters: { tag } }) => tag === 'http-message-signatures-directory',
      },
      resolveVerifier: ({ parameters: { keyid } }) => {
        const { kty, crv, x } = keys.find(({ kid }: { kid: string }) => kid === keyid);
        const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
        return { algorithm: 'ed25519', verify: (data, signature) => verifyBytes(null, data, key, signature) };
      },
    },
  );
  return parameters.keyid as string;
}

test('the vector of the draft: a signed response', () => {
  const key = readSigningKey(
    {
      kty: 'OKP',
      crv: 'Ed25519',
      d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
      x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
    },
    'the example',
  );
  const made = signComponents(
    [
      ['"@authority";req', 'signature-agent.test'],
      ['"content-digest"', 'sha-256=:CADMT2aBdV/rqQr/NIru64ERQkCobVvllA4V0fLFDu0=:'],
    ],
    {
      created: 1_735_689_600,
      expires: 4_889_289_600,
      keyid: key.keyid,
      tag: 'http-message-signatures-directory',
    },
    key.privateKey,
    'binding',
  );
  expect(made.signature).toBe(
    'binding=:l6P8R67tm3kujAxbHWio7ll01qrEZ0dKD/WWlGhNYEmTnFZM8Wt0VQ9zqGfvo7T/UMkBxsigzChM1Gpz7gOVBg==:',
  );
});

describe('the directory', () => {
  test('has public keys alone, each with its thumbprint and times, and is signed by each of them', async () => {
    const document = created();
    const { document: rotated } = rotateKeys(
      read(document),
      { jwk: newJwk(), days: 365 },
      { now: START * 1000 },
    );
    const directory = directoryOf(read(rotated), START * 1000);
    const { keys } = JSON.parse(directory.body);
    expect(keys).toHaveLength(2);
    for (const [i, { kid, use, nbf, exp, ...jwk }] of keys.entries()) {
      expect(Object.keys(jwk).sort()).toEqual(['crv', 'kty', 'x']);
      expect(kid).toBe(thumbprintOf(jwk));
      expect(use).toBe('sig');
      expect(exp).toBeGreaterThan(nbf);
      expect(await verifyDirectory(directory, { label: `binding${i}`, now: START })).toBe(kid);
    }
    for (const { d } of rotated.keys) expect(JSON.stringify(directory)).not.toContain(d);
    expect(directory.headers['Content-Type']).toBe('application/http-message-signatures-directory+json');
  });

  test('cannot be served at another origin, nor with other keys, nor for ever', async () => {
    const directory = directoryOf(read(created()), START * 1000);
    const at = { label: 'binding0', now: START };
    await expect(verifyDirectory(directory, { ...at, agent: 'https://other.example' })).rejects.toThrow();
    await expect(verifyDirectory(directory, { ...at, now: directory.expiresAt + 1 })).rejects.toThrow(
      'expired',
    );
    const other = directoryOf(read(created()), START * 1000);
    const swapped = {
      body: other.body,
      headers: { ...other.headers, Signature: directory.headers.Signature! },
    };
    await expect(verifyDirectory(swapped, at)).rejects.toThrow();
  });

  test('its signature does not outlast a key, and an expired key is left out', () => {
    const [old, present] = [newJwk(), newJwk()];
    const keys = [
      { ...old, exp: START - 1 },
      { ...present, exp: START + 5 * DAY },
    ];
    const { body, expiresAt } = directoryOf(read({ agent: AGENT, keys }), START * 1000);
    expect(JSON.parse(body).keys.map(({ x }: { x: string }) => x)).toEqual([present.x]);
    expect(expiresAt).toBe(START + 5 * DAY);
  });
});

describe('a rotation', () => {
  /** The directory as a verifier knows it that keeps copies for a day, published by the operator a day after the rotation. */
  test('has no gap: at each hour the key that signs is known to verifiers with an old copy', () => {
    const before = read(created());
    const rotateAt = START + 100 * DAY;
    const { document } = rotateKeys(before, { jwk: newJwk(), days: 365 }, { now: rotateAt * 1000 });
    const after = read(document);
    const seen = new Set<string>();
    for (let hour = 0; hour < 24 * 10; hour++) {
      const second = rotateAt + hour * 3600;
      const signing = keyAt(after.keys, second * 1000)!;
      seen.add(signing.keyid);
      // Published a day late, and copied up to a day ago.
      const copiedAt = second - DAY;
      const published = copiedAt < rotateAt + DAY ? before : after;
      const known = directoryOf(published, copiedAt * 1000).keys.map(({ kid }) => kid);
      expect(known, `hour ${hour}`).toContain(signing.keyid);
    }
    expect(seen.size).toBe(2);
    // After the overlap, the directory has the new key alone.
    expect(directoryOf(after, (rotateAt + 4 * DAY) * 1000).keys.map(({ kid }) => kid)).toEqual([
      after.keys[1]!.keyid,
    ]);
  });

  test('of a key that expires within hours has no second without a key', () => {
    const jwk = { ...newJwk(), exp: START + 3600 };
    const now = START * 1000;
    const { document, signsFrom } = rotateKeys(
      read({ agent: AGENT, keys: [jwk] }),
      { jwk: newJwk(), days: 9 },
      { now },
    );
    expect(signsFrom).toBe(START + 3600);
    const { keys } = read(document);
    for (const second of [0, 3599, 3600, 9 * DAY]) expect(keyAt(keys, (START + second) * 1000)).toBeDefined();
  });

  test('of an expired key, and one at once, leave the new key alone', () => {
    const now = START * 1000;
    const expired = read({ agent: AGENT, keys: [{ ...newJwk(), exp: START - 5 }] });
    const jwk = newJwk();
    for (const [identity, isAtOnce] of [
      [expired, false],
      [read(created()), true],
    ] as const) {
      const { document, signsFrom } = rotateKeys(identity, { jwk, days: 9 }, { now, isAtOnce });
      expect(document.keys.map(({ x }) => x)).toEqual([jwk.x]);
      expect(signsFrom).toBe(START);
    }
  });

  test('while a new key waits is refused, unless it is at once', () => {
    const now = START * 1000;
    const { document } = rotateKeys(read(created()), { jwk: newJwk(), days: 9 }, { now });
    const again = (isAtOnce: boolean) =>
      rotateKeys(read(document), { jwk: newJwk(), days: 9 }, { now, isAtOnce });
    expect(() => again(false)).toThrow('A new key waits already');
    expect(again(true).document.keys).toHaveLength(1);
  });

  test('keeps older keys until they expire', () => {
    let identity = read(created());
    let now = START;
    for (let i = 0; i < 5; i++, now += 2.5 * DAY) {
      const { document } = rotateKeys(identity, { jwk: newJwk(), days: 365 }, { now: now * 1000 });
      const kept = identity.keys.filter(({ expiresAt = 0 }) => expiresAt > now).map(({ keyid }) => keyid);
      identity = read(document);
      expect(
        identity.keys
          .map(({ keyid }) => keyid)
          .slice(0, -1)
          .sort(),
      ).toEqual(kept.sort());
    }
  });
});
