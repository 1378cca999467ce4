import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import {
  FAILURE_CODES,
  isBeforeRequest,
  mostTriesOf,
  reasonOf,
} from '../../../shared/core/outcome/failure-codes.ts';
import type { FetcherOptions } from '../../../shared/crawler/fetcher/fetcher.ts';
import { describeCertificate } from '../../../shared/crawler/fetcher/tls-failure.ts';
import { asFailure, asResponse, listen, openFetcher, serveRaw, stopTimeouts, unusedPort } from './servers.ts';

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');
const key = pem('site.test.key');
const authority = pem('authority.test.cert');

/** Returns the failure of one fetch from `site.test` at the port. */
async function failureAt(port: number, scheme = 'https', options: Partial<FetcherOptions> = {}) {
  const fetcher = openFetcher({ certificateAuthorities: [authority], ...options });
  const { reason, code, message } = asFailure(await fetcher.fetch({ url: `${scheme}://site.test:${port}/` }));
  expect(reason).toBe(reasonOf(code!));
  return { code, message };
}

async function serveTls(certificate: string, options: ServerOptions = {}, host = '127.0.0.1') {
  const server = createHttpsServer(
    { cert: pem(`${certificate}.cert`), key, ...options },
    (_request, response) => response.end('secret'),
  );
  return listen(server, host);
}

describe('a certificate that is refused says why:', () => {
  test.each([
    ['expired.test', 'certificateExpired', 'the certificate of site.test expired on 2025-01-01'],
    ['future.test', 'certificateNotYetValid', 'the certificate of site.test is not valid before 2125-01-01'],
    ['site.test', 'certificateSelfSigned', 'the certificate of site.test is self-signed'],
  ])('%s: %s', async (certificate, code, message) => {
    const server = await serveTls(certificate);
    expect(await failureAt(server.port)).toEqual({ code, message });
  });

  test('an unknown issuer', async () => {
    const server = await serveTls('issued.test');
    expect(await failureAt(server.port, 'https', { certificateAuthorities: [] })).toEqual({
      code: 'certificateUnknownIssuer',
      message:
        'the issuer of the certificate of site.test is unknown: the server does not send the certificate of the issuer, or the authority is not trusted (--ca adds it)',
    });
  });

  test('a weak one', () => {
    expect(describeCertificate('site.test', 'UNSPECIFIED', undefined)).toMatchObject({
      code: 'certificateInvalid',
      message: 'the certificate of site.test is not valid (probably its key or a signature is too weak)',
    });
  });

  // TLS 1.2 could resume the session of the first try, and Node looks at no host name then.
  test.each(['TLSv1.2', 'TLSv1.3'] as const)('another host, at every try (%s)', async (maxVersion) => {
    const server = await serveTls('issued.test', { maxVersion });
    const fetcher = openFetcher({ certificateAuthorities: [authority] });
    for (let i = 0; i < 3; i++) {
      const failure = asFailure(await fetcher.fetch({ url: `https://other.test:${server.port}/` }));
      expect(failure).toMatchObject({
        reason: 'tls',
        code: 'certificateOtherHost',
        message: 'the certificate of other.test is for site.test, not for this host',
      });
    }
    expect(server.received.join('')).not.toContain('GET');
    asResponse(await fetcher.fetch({ url: `https://site.test:${server.port}/` }));
  });
});

describe('a TLS handshake that fails says why:', () => {
  test.each([
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTML', '<html><body>no'],
  ])('a server that speaks %s', async (_name, bytes) => {
    const server = await listen(createServer((socket) => socket.on('data', () => socket.end(bytes))));
    expect(await failureAt(server.port)).toEqual({
      code: 'noTls',
      message: `site.test:${server.port} (127.0.0.1) does not speak TLS; try http://`,
    });
  });

  test('an old version', async () => {
    const server = await serveTls('issued.test', {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    expect(await failureAt(server.port)).toEqual({
      code: 'oldTlsVersion',
      message: `site.test:${server.port} (127.0.0.1) offers only versions of TLS before 1.2, which are not safe`,
    });
  });

  test('HTTP/2 alone', async () => {
    const server = await serveTls('issued.test', { ALPNProtocols: ['h2'] });
    expect(await failureAt(server.port)).toEqual({
      code: 'http2Only',
      message: `site.test:${server.port} (127.0.0.1) speaks HTTP/2 alone, and Strand speaks HTTP/1.1`,
    });
  });

  test('a client certificate is required', async () => {
    const server = await serveTls('issued.test', { requestCert: true, rejectUnauthorized: true });
    expect(await failureAt(server.port)).toEqual({
      code: 'clientCertificateRequired',
      message: 'the server requires a client certificate',
    });
  });

  test('no cipher in common', async () => {
    const server = await serveTls('issued.test', {
      maxVersion: 'TLSv1.2',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
    });
    expect(await failureAt(server.port)).toEqual({
      code: 'tlsHandshakeFailed',
      message: expect.stringMatching(
        /^the TLS handshake with site\.test:\d+ .* failed \(.*handshake failure\)$/,
      ),
    });
  });

  test('the connection ends', async () => {
    const server = await listen(createServer((socket) => socket.on('data', () => socket.end())));
    expect(await failureAt(server.port)).toEqual({
      code: 'tlsHandshakeFailed',
      message: `site.test:${server.port} (127.0.0.1) closed the connection during the TLS handshake`,
    });
  });

  test('silence', async () => {
    const server = await serveRaw(() => {});
    const pass = stopTimeouts();
    const failure = failureAt(server.port, 'https', { connectTimeoutMs: 2000 });
    // The client's part of the handshake.
    await pass(2000, () => server.received.join('') !== '');
    expect(await failure).toEqual({
      code: 'tlsTimeout',
      message: expect.stringMatching(
        /^no TLS handshake with site\.test:\d+ \(127\.0\.0\.1\) within \d+(\.\d)? m?s$/,
      ),
    });
  });
});

describe('a connection that fails says why:', () => {
  test('refused', async () => {
    const port = await unusedPort();
    expect(await failureAt(port, 'http')).toEqual({
      code: 'connectionRefused',
      message: `connection refused by site.test:${port} (127.0.0.1)`,
    });
    const failure = asFailure(await openFetcher().fetch({ url: `http://127.0.0.1:${port}/` }));
    expect(failure.message).toBe(`connection refused by 127.0.0.1:${port}`);
  });

  test.each([
    ['ENOTFOUND', 'noSuchHost', 'no such host: site.test'],
    ['ENODATA', 'noSuchHost', 'no such host: site.test'],
    [
      'ESERVFAIL',
      'nameServerFailure',
      'the name servers failed to resolve site.test (ESERVFAIL: queryA site.test)',
    ],
    ['ETIMEOUT', 'nameServerTimeout', 'the name servers gave no answer for site.test'],
  ])('%s of DNS: %s', async (system, code, message) => {
    const lookup = async () => {
      throw Object.assign(new Error('queryA site.test'), { code: system });
    };
    expect(await failureAt(80, 'http', { resolve: [], lookup })).toEqual({ code, message });
  });
});

describe('no name server is requested', () => {
  const lookup = async (hostname: string) => {
    throw new Error(`requested ${hostname}`);
  };
  const special = { resolve: [] as [string, string][], lookup };

  test.each([
    'example.onion',
    'EXAMPLE.ONION',
    'example.onion.',
    'a.b.onion',
    'host.invalid',
    'invalid',
    'x.alt',
  ])('%s, which has no address', async (host) => {
    const failure = asFailure(await openFetcher(special).fetch({ url: `http://${host}/` }));
    expect(failure).toMatchObject({ reason: 'dns', code: 'reservedName' });
    expect(failure.message).toMatch(/has no address: a name under \.(onion|invalid|alt) .*\(RFC \d+\)/);
  });

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'app.localhost'])(
    '%s, which is this machine, if the address guard allows it',
    async (host) => {
      const server = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nx'));
      const url = `http://${host}:${server.port}/`;
      asResponse(await openFetcher(special).fetch({ url }));
      const guarded = openFetcher({ ...special, allowPrivateAddresses: [] });
      expect(asFailure(await guarded.fetch({ url })).code).toBe('blockedAddress');
      expect(server.connections()).toBe(1);
    },
  );

  test.each(['a.test', 'localhost.example', 'onion.example', 'intranet'])('but for %s', async (host) => {
    const failure = asFailure(await openFetcher(special).fetch({ url: `http://${host}/` }));
    expect(failure.message).toContain(`requested ${host}`);
  });
});

describe('a port that browsers refuse', () => {
  test.each([25, 22, 6666, 10_080])('is not asked: %i', async (port) => {
    for (const scheme of ['http', 'https'])
      expect(await failureAt(port, scheme)).toEqual({
        code: 'blockedPort',
        message: `browsers refuse port ${port}; \`--allow-port ${port}\` allows it`,
      });
  });

  test('is asked if it is allowed, and others are', async () => {
    // At an address of its own: the hostile web has canaries at such ports of 127.0.0.1.
    const resolve: [string, string][] = [['*', '127.0.0.9']];
    const options = { allowPorts: [6666], connectTimeoutMs: 500, resolve };
    // Whatever is at that port of this machine: it was asked.
    const outcome = await openFetcher(options).fetch({ url: 'http://site.test:6666/' });
    expect(outcome.status === 'failed' && outcome.code).not.toBe('blockedPort');
    expect((await failureAt(6667, 'http', options)).code).toBe('blockedPort');
    expect((await failureAt(await unusedPort(), 'http')).code).toBe('connectionRefused');
  });
});

test('certificates that are not valid are accepted where that is allowed', async () => {
  for (const certificate of ['expired.test', 'future.test', 'site.test', 'issued.test']) {
    const server = await serveTls(certificate);
    const fetcher = openFetcher({ tls: 'any' });
    const response = asResponse(await fetcher.fetch({ url: `https://other.test:${server.port}/` }));
    expect(Buffer.from(await response.body.bytes()).toString()).toBe('secret');
  }
});

describe('a response that fails says why:', () => {
  test.each([
    [
      'nothing',
      '',
      'emptyResponse',
      'the server closed the connection without a response; perhaps this port expects https://',
    ],
  ])('%s', async (_name, bytes, code, message) => {
    const server = await serveRaw((socket) => socket.end(bytes));
    expect(await failureAt(server.port, 'http')).toEqual({ code, message });
  });

  test('a TLS server that is asked in plain HTTP', async () => {
    const server = await serveTls('issued.test');
    expect(await failureAt(server.port, 'http')).toEqual({
      code: 'emptyResponse',
      message: 'the server closed the connection without a response; perhaps this port expects https://',
    });
  });

  test('a reset', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    expect(await failureAt(server.port, 'http')).toEqual({
      code: 'connectionReset',
      message: 'the connection broke before the response came (read ECONNRESET)',
    });
  });

  test('silence', async () => {
    const server = await serveRaw(() => {});
    expect(await failureAt(server.port, 'http', { headersTimeoutMs: 50 })).toEqual({
      code: 'noResponse',
      message: 'no response within 50 ms of the request',
    });
  });
});

test('what will not change within minutes is what a person must fix', async () => {
  const lasting = FAILURE_CODES.filter((code) => mostTriesOf({ code }) !== undefined);
  expect(lasting).toEqual(expect.arrayContaining(['certificateExpired', 'noTls']));
  expect(lasting).not.toEqual(expect.arrayContaining(['connectionRefused']));
  for (const code of ['noSuchHost', 'connectionReset', 'tlsHandshakeFailed', 'noResponse'] as const)
    expect(lasting).not.toContain(code);
  expect(mostTriesOf({})).toBeUndefined();
  // Middleware and older programs report no code.
  expect(isBeforeRequest({ reason: 'connect' })).toBe(true);
  expect(isBeforeRequest({ reason: 'timeout' })).toBe(false);
});
