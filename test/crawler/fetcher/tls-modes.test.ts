import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import { InvalidConfig } from '../../../shared/core/crawl/config.ts';
import { asFailure, asResponse, listen, openFetcher } from './servers.ts';

const read = (name: string) => readFileSync(new URL(`certificates/${name}`, import.meta.url), 'utf8');
const key = read('site.test.key.pem');
const cert = read('site.test.cert.pem');

async function serveHttps(options: Record<string, unknown> = {}) {
  const seen: { cookie: string | undefined; peer: unknown; headers: object }[] = [];
  const server = createServer({ cert, key, ...options }, (request, response) => {
    const socket = request.socket as import('node:tls').TLSSocket;
    const { headers } = request;
    seen.push({ headers, cookie: headers.cookie, peer: socket.getPeerCertificate().subject?.CN });
    response.end('secret');
  });
  return { ...(await listen(server)), seen };
}

const cookies = [{ domain: 'site.test', name: 'id', value: 'hidden' }];

describe('a bad certificate that is to be recorded', () => {
  test.each([
    ['self-signed', {}, 'certificateSelfSigned'],
    ['expired', { cert: read('expired.test.cert.pem') }, 'certificateExpired'],
  ])('(%s) is accepted, and nothing secret is sent', async (_name, options, tlsError) => {
    const server = await serveHttps(options);
    const headers = { '*': { 'X-Key': 'hidden' } };
    const fetcher = openFetcher({ tls: 'record', cookies, headers, auth: { '*': 'me:hidden' } });
    for (let i = 0; i < 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: `https://site.test:${server.port}/` }));
      expect(response.tlsError).toBe(tlsError);
    }
    expect(server.seen.map(({ cookie }) => cookie)).toEqual([undefined, undefined]);
  });

  test('gets no secret of a request by project code, and no body', async () => {
    const server = await serveHttps();
    const url = `https://site.test:${server.port}/`;
    const fetcher = openFetcher({ tls: 'record' });
    for (let i = 0; i < 2; i++) {
      const headers = { 'X-Key': 'hidden', Accept: 'text/plain' };
      asResponse(await fetcher.fetch({ url, headers }));
      expect(server.seen[i]?.headers).toMatchObject({ accept: 'text/plain' });
      expect(JSON.stringify(server.seen[i]?.headers)).not.toContain('hidden');
      const failure = asFailure(await fetcher.fetch({ url, method: 'POST', body: 'hidden' }));
      expect(failure.code).toBe('certificateSelfSigned');
    }
    expect(server.seen).toHaveLength(2);
  });

  test('is of that host alone: others are verified, and get what is theirs', async () => {
    const bad = await serveHttps();
    const good = await serveHttps();
    const fetcher = openFetcher({ tls: 'record', cookies, certificateAuthorities: [cert] });
    expect(asResponse(await fetcher.fetch({ url: `https://other.test:${bad.port}/` })).tlsError).toBe(
      'certificateOtherHost',
    );
    expect(
      asResponse(await fetcher.fetch({ url: `https://site.test:${good.port}/` })).tlsError,
    ).toBeUndefined();
    expect(good.seen[0]?.cookie).toBe('id=hidden');
  });

  test('is refused by default, and taken where any is', async () => {
    const server = await serveHttps();
    const url = `https://site.test:${server.port}/`;
    expect(asFailure(await openFetcher().fetch({ url })).code).toBe('certificateSelfSigned');
    const response = asResponse(await openFetcher({ tls: 'any' }).fetch({ url }));
    expect(response.tlsError).toBeUndefined();
  });
});

describe('a certificate of the crawler', () => {
  test('is shown to the hosts that it is for, and to no other', async () => {
    const server = await serveHttps({ requestCert: true, rejectUnauthorized: false });
    const clientCertificates = [{ hosts: ['https://site.test:*'], certificate: cert, key }];
    const fetcher = openFetcher({ clientCertificates, tls: 'any' });
    await fetcher.fetch({ url: `https://site.test:${server.port}/` });
    await fetcher.fetch({ url: `https://other.test:${server.port}/` });
    expect(server.seen.map(({ peer }) => peer)).toEqual(['site.test', undefined]);
  });

  test('that does not belong to its key is refused, and the key is not printed', () => {
    const other = generateKeyPairSync('ed25519').privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }) as string;
    const open = () => openFetcher({ clientCertificates: [{ hosts: ['*'], certificate: cert, key: other }] });
    expect(open).toThrow(InvalidConfig);
    expect(open).toThrow(
      /^The certificate or key of `clientCertificates.0` cannot be used \(the key is not that of the certificate\)$/,
    );
  });

  test('that is damaged is refused', () => {
    const open = () => openFetcher({ certificateAuthorities: [cert.replace(/M/g, 'N')] });
    expect(open).toThrow(InvalidConfig);
  });
});

test('the protocols and the cipher suite of a response are reported', async () => {
  const server = await serveHttps();
  const response = asResponse(
    await openFetcher({ tls: 'any' }).fetch({ url: `https://a.test:${server.port}/` }),
  );
  expect(response).toMatchObject({
    protocols: ['http/1.1', 'tls/1.3'],
    cipherSuite: expect.stringMatching(/^TLS_AES_/),
  });
});
