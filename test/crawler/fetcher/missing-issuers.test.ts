/** Servers that do not send the certificates of their issuers. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { describe, expect, test } from 'vitest';
import type { FetcherOptions } from '../../../shared/crawler/fetcher/fetcher.ts';
import { asFailure, asResponse, listen, openFetcher, serveHttp } from './servers.ts';

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), 'utf8');
const key = pem('site.test.key');
/** Signed by `lower`, that by `upper`, that by `root`. Each says that the certificate of its issuer is at `issuer.test`. */
const [leaf, lower, upper, root] = ['leaf', 'lower', 'upper', 'root'].map((name) =>
  pem(`${name}.chain.cert`),
);
const der = (text: string) => new X509Certificate(text).raw;

const serve = (cert: string) => listen(createServer({ cert, key }, (_, response) => response.end('page')));

/** Serves files of `issuer.test`, as a proxy: its port is 80. */
async function openIssuer(files: Record<string, Uint8Array | string>, options: Partial<FetcherOptions> = {}) {
  const asked: string[] = [];
  const server = await serveHttp((request, response) => {
    asked.push(request.url ?? '');
    const file = files[(request.url ?? '').replace('http://issuer.test/', '')];
    if (file === undefined) response.statusCode = 404;
    response.end(file);
  });
  const fetcher = openFetcher({
    certificateAuthorities: [root!],
    proxies: [{ url: `http://127.0.0.1:${server.port}`, hosts: ['issuer.test'] }],
    ...options,
  });
  return { asked, fetcher };
}

const FILES = { 'lower.der': der(lower!), 'upper.der': der(upper!), 'root.der': der(root!) };

describe('a certificate of which the issuers are not sent', () => {
  test.each([
    ['all are missing', leaf!, ['http://issuer.test/lower.der', 'http://issuer.test/upper.der']],
    ['one is missing', leaf! + lower!, ['http://issuer.test/upper.der']],
    ['another one is sent', leaf! + upper!, ['http://issuer.test/lower.der', 'http://issuer.test/upper.der']],
    ['none is missing', leaf! + lower! + upper!, []],
    ['none is missing, in another order', leaf! + root! + upper! + lower!, []],
  ])('is verified by those that it names: %s', async (_, cert, expected) => {
    const { asked, fetcher } = await openIssuer(FILES);
    const [first, second] = [await serve(cert), await serve(cert)];
    for (const { port } of [first, first, second])
      asResponse(await fetcher.fetch({ url: `https://site.test:${port}/` }));
    expect(asked).toEqual(expected);
  });

  test('in PEM, too', async () => {
    const { fetcher } = await openIssuer({ 'lower.der': lower!, 'upper.der': upper! });
    asResponse(await fetcher.fetch({ url: `https://site.test:${(await serve(leaf!)).port}/` }));
  });

  test('is refused if its authority is not trusted, whatever it names', async () => {
    const files = { ...FILES, 'upper.der': der(root!) };
    for (const options of [{ certificateAuthorities: [] }, { certificateAuthorities: [upper!] }, {}]) {
      const { fetcher } = await openIssuer(options.certificateAuthorities ? FILES : files, options);
      const url = `https://site.test:${(await serve(leaf!)).port}/`;
      expect(asFailure(await fetcher.fetch({ url }))).toMatchObject({
        code: 'certificateUnknownIssuer',
        message: expect.stringContaining('--ca adds it'),
      });
    }
  });

  test('is refused if all are sent and the authority is not trusted', async () => {
    const { asked, fetcher } = await openIssuer(FILES, { certificateAuthorities: [] });
    const { port } = await serve(leaf! + lower! + upper! + root!);
    expect(asFailure(await fetcher.fetch({ url: `https://site.test:${port}/` }))).toMatchObject({
      code: 'certificateUnknownIssuer',
      message: 'the certificate of site.test is by an authority that is not trusted (--ca trusts it)',
    });
    expect(asked).toEqual([]);
  });

  test('is still that of another host', async () => {
    const { fetcher } = await openIssuer(FILES);
    const { port } = await serve(leaf!);
    for (let i = 0; i < 2; i++)
      expect(asFailure(await fetcher.fetch({ url: `https://other.test:${port}/` })).code).toBe(
        'certificateOtherHost',
      );
  });

  test.each([
    ['no certificate', 'no certificate'],
    ['another one', der(pem('authority.test.cert'))],
    ['too much', 'x'.repeat(100_000)],
    ['nothing', ''],
  ])('leads to a few requests if what it names is %s', async (_, file) => {
    const { asked, fetcher } = await openIssuer({ 'lower.der': file });
    for (let i = 0; i < 8; i++) {
      const { port } = await serve(leaf!);
      asFailure(await fetcher.fetch({ url: `https://site.test:${port}/` }));
    }
    expect(asked).toHaveLength(4);
  });

  test('of a host that is accepted anyway is not looked for', async () => {
    const { asked, fetcher } = await openIssuer(FILES, { tls: 'any' });
    asResponse(await fetcher.fetch({ url: `https://site.test:${(await serve(leaf!)).port}/` }));
    expect(asked).toEqual([]);
  });
});
