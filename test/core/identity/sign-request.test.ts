import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jwkToKeyID } from 'web-bot-auth';
import { helpers } from 'web-bot-auth/crypto';
import { signRequest } from '../../../shared/core/identity/sign-request.ts';
import { signComponents } from '../../../shared/core/identity/signature-base.ts';
import { readSigningKey } from '../../../shared/core/identity/signing-key.ts';
import { type ReceivedRequest, verifyByRfc9421, verifyByWebBotAuth } from './verifiers.ts';

/** RFC 9421, appendix B.1.4: the key of all examples. */
const EXAMPLE_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  kid: 'test-key-ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
};
const key = readSigningKey(EXAMPLE_KEY, 'the example');
const AGENT = 'https://crawler.example.org';
const NOW = 1_790_000_000_000;

const newNonce = () => randomBytes(64).toString('base64');

function signed(
  url: string,
  { method = 'GET', now = Date.now(), agent = AGENT, by = key } = {},
): ReceivedRequest {
  const fields = signRequest({ url, method }, { now, nonce: newNonce() }, agent, by);
  return { method, url, fields };
}

describe('the vectors of the drafts', () => {
  const created = 1_735_689_600;
  const given = (nonce: string, expires = 4_889_289_600) => ({
    created,
    keyid: key.keyid,
    alg: 'ed25519',
    expires,
    nonce,
    tag: 'web-bot-auth',
  });

  test('a request with the member of Signature-Agent', () => {
    const nonce = 'n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==';
    const made = signComponents(
      [
        ['"@authority"', 'example.com'],
        ['"signature-agent";key="agent2"', '"https://signature-agent.test"'],
      ],
      given(nonce),
      key.privateKey,
      'sig2',
    );
    expect(made).toEqual({
      signatureInput:
        'sig2=("@authority" "signature-agent";key="agent2");created=1735689600;' +
        `keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600;nonce="${nonce}";tag="web-bot-auth"`,
      signature:
        'sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:',
    });
  });

  test('a request with the authority alone', () => {
    const nonce = 'zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A==';
    const components = [['"@authority"', 'example.com']] as const;
    const made = signComponents(components, given(nonce), key.privateKey, 'sig1');
    expect(made.signature).toBe(
      'sig1=:QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==:',
    );
  });

  test('a request with the bare string of older drafts', () => {
    const nonce = 'e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg==';
    const made = signComponents(
      [
        ['"@authority"', 'example.com'],
        ['"signature-agent"', '"https://signature-agent.test"'],
      ],
      given(nonce, 1_735_693_200),
      key.privateKey,
      'sig2',
    );
    expect(made.signature).toBe(
      'sig2=:jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==:',
    );
  });

  test('the thumbprint of the key', async () => {
    expect(key.keyid).toBe('poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U');
    // RFC 8037, appendix A.3.
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
    const other = readSigningKey({ kty: 'OKP', crv: 'Ed25519', x, d }, 'the key');
    expect(other.keyid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    const { WEBCRYPTO_SHA256, BASE64URL_DECODE } = helpers;
    expect(await jwkToKeyID(other.publicJwk, WEBCRYPTO_SHA256, BASE64URL_DECODE)).toBe(other.keyid);
  });
});

const URLS = [
  'https://example.com/',
  'https://example.com/path/to/resource',
  'https://example.com:8443/a',
  'https://example.com:80/a',
  'http://example.com:443/a',
  'http://example.com/',
  'http://127.0.0.1:8080/a',
  'https://[2001:db8::1]/a',
  'http://[::1]:8080/a/b?c=d',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/',
  'https://EXAMPLE.com/',
  'https://example.com./a',
  'https://example.com/%C3%A9t%C3%A9/a%2Fb/%7Ec;p=1,2',
  'https://example.com/a?b=%20c&d',
  'https://example.com/a?',
  'https://example.com?a=b',
  `https://example.com/a//b/"'()*!$`,
  `https://example.com/${'a/'.repeat(900)}`,
];

test.each(URLS)('a signed request for %s is verified', async (given) => {
  const request = signed(new URL(given).href);
  const { keyid, created, expires } = await verifyByRfc9421(request, key.publicJwk);
  expect(keyid).toBe(key.keyid);
  expect(expires - created).toBeLessThan(24 * 3600);
  // It leaves out ports 80 and 443 for either scheme.
  if (!/:(80|443)\/a$/.test(given)) await verifyByWebBotAuth(request, key.publicJwk);
});

test.each([
  ['https://example.com:443/', 'example.com'],
  ['http://example.com:80/', 'example.com'],
  ['https://example.com:80/', 'example.com:80'],
  ['https://bücher.example:444/', 'xn--bcher-kva.example:444'],
  ['http://[2001:DB8::1]:81/', '[2001:db8::1]:81'],
])('the authority of %s is %s', async (url, authority) => {
  const { fields } = signed(url);
  const written = new URL(url);
  for (const other of [`https://${authority}/`, `http://${authority}/`]) {
    if (new URL(other).host !== authority) continue;
    await verifyByRfc9421({ method: 'GET', url: other, fields }, key.publicJwk);
  }
  expect(written.host).toBe(authority);
});

test('each method is signed as it is', async () => {
  for (const method of ['GET', 'POST', 'HEAD']) {
    const request = signed('https://example.com/a', { method });
    await verifyByRfc9421(request, key.publicJwk);
    const other = { ...request, method: method === 'GET' ? 'POST' : 'GET' };
    await expect(verifyByRfc9421(other, key.publicJwk)).rejects.toThrow('verification failed');
  }
});

describe('clocks that differ', () => {
  const request = signed('https://example.com/a', { now: NOW });
  const at = (seconds: number) => NOW / 1000 + seconds;

  test.each([-30, 0, 30, 300])('a site whose clock is %i s off accepts the request', async (seconds) => {
    await verifyByRfc9421(request, key.publicJwk, { now: at(seconds) });
  });

  test.each([-300, -31, 400, 600])(
    'a site whose clock is %i s off accepts it if it allows for five minutes',
    async (seconds) => {
      await verifyByRfc9421(request, key.publicJwk, { now: at(seconds), clockSkew: 300 });
      await expect(verifyByRfc9421(request, key.publicJwk, { now: at(seconds) })).rejects.toThrow(
        seconds < 0 ? 'in the future' : 'expired',
      );
    },
  );

  test('the same request later gets another signature, and the signature that was seen expires', async () => {
    const later = signed('https://example.com/a', { now: NOW + 3_600_000 });
    await verifyByRfc9421(later, key.publicJwk, { now: at(3600) });
    expect(later.fields.Signature).not.toBe(request.fields.Signature);
    await expect(verifyByRfc9421(request, key.publicJwk, { now: at(3600) })).rejects.toThrow('expired');
  });
});

test('two requests of one moment have different signatures', async () => {
  const [one, two] = [1, 2].map(() => signed('https://example.com/a', { now: NOW }));
  expect(one!.fields.Signature).not.toBe(two!.fields.Signature);
});

describe('a change makes the verification fail', () => {
  const host = fc.domain();
  const path = fc.webPath();
  const url = fc.tuple(
    fc.constantFrom('http', 'https'),
    host,
    fc.option(fc.integer({ min: 1, max: 65_535 })),
    path,
  );
  const written = ([scheme, name, port, rest]: [string, string, number | null, string]) =>
    new URL(`${scheme}://${name}${port === null ? '' : `:${port}`}${rest || '/'}`);
  const methods = fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS');

  test('of method, path, authority or agent', async () => {
    const property = fc.asyncProperty(url, url, methods, methods, async (a, b, method, otherMethod) => {
      const [one, two] = [written(a), written(b)];
      const request = signed(one.href, { method });
      await verifyByRfc9421(request, key.publicJwk);
      const isSame = one.host === two.host && one.pathname === two.pathname && method === otherMethod;
      const changed = verifyByRfc9421({ ...request, url: two.href, method: otherMethod }, key.publicJwk);
      if (isSame) await changed;
      else await expect(changed).rejects.toThrow('verification failed');
      const agent = `sig1="https://${two.host}"`;
      const fields = { ...request.fields, 'Signature-Agent': agent };
      await expect(verifyByRfc9421({ ...request, fields }, key.publicJwk)).rejects.toThrow(
        'verification failed',
      );
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('of any character of the fields', async () => {
    const request = signed('https://example.com/a?b', { now: NOW });
    const names = ['Signature', 'Signature-Input', 'Signature-Agent'] as const;
    const property = fc.asyncProperty(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom(...'abcXYZ019+/="; :'),
      async (name, at, character) => {
        const value = request.fields[name] as string;
        const place = at % value.length;
        const other = value.slice(0, place) + character + value.slice(place + 1);
        const canonical = other.replaceAll(/\s+$/g, '');
        fc.pre(canonical !== value && !isSameBytes(name, value, canonical));
        const fields = { ...request.fields, [name]: other };
        await expect(
          verifyByRfc9421({ ...request, fields }, key.publicJwk, { now: NOW / 1000 }),
        ).rejects.toThrow();
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test('of the key', async () => {
    const request = signed('https://example.com/a');
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    await expect(verifyByRfc9421(request, other as never)).rejects.toThrow('verification failed');
    await expect(verifyByWebBotAuth(request, other as never)).rejects.toThrow();
  });

  test('of the query, none: it is not covered', async () => {
    const request = signed('https://example.com/a?b=1');
    await verifyByRfc9421({ ...request, url: 'https://example.com/a?b=2' }, key.publicJwk);
  });
});

/** The last characters of Base64 may differ in bits that stand for nothing. */
function isSameBytes(name: string, one: string, two: string): boolean {
  if (name !== 'Signature') return false;
  const bytes = (text: string) => Buffer.from(text.slice('sig1=:'.length), 'base64').toString('hex');
  return two.startsWith('sig1=:') && two.endsWith(':') && bytes(one) === bytes(two);
}
