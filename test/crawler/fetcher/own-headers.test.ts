import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { readNetscapeCookies } from '../../../shared/core/crawl/netscape-cookies.ts';
import { createCookieJar } from '../../../shared/crawler/fetcher/cookie-jar.ts';
import { asResponse, openFetcher, serveHttp } from './servers.ts';

const later = () => 1000;

/** Returns the headers that the server got, by name in lower case, for a URL of each host. */
async function sentTo(options: Parameters<typeof openFetcher>[0], ...hosts: string[]) {
  const server = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
  const fetcher = openFetcher(options);
  const answers = [];
  for (const host of hosts) {
    const url = `http://${host}:${server.port}/folder/page`;
    const response = asResponse(await fetcher.fetch({ url }));
    const got: Record<string, string> = JSON.parse(Buffer.from(await response.body.bytes()).toString());
    answers.push({ got, head: Buffer.from(response.requestHead).toString() });
  }
  return answers;
}

describe('headers of the operator', () => {
  test('go to the hosts that their pattern means, at any port that it names, and to no other', async () => {
    const headers = {
      '*.a.test:*': { 'X-Key': 'one', 'accept-language': 'de' },
      'b.test:1': { 'X-Key': 'two' },
    };
    const [own, other, port] = await sentTo({ headers }, 'www.a.test', 'c.test', 'b.test');
    expect(own!.got).toMatchObject({ 'x-key': 'one', 'accept-language': 'de' });
    expect(other!.got).not.toHaveProperty('x-key');
    expect(port!.got).not.toHaveProperty('x-key');
  });

  test('are not sent by http if the pattern says https', async () => {
    const [plain] = await sentTo({ headers: { 'https://*': { 'X-Key': 'one' } } }, 'a.test');
    expect(plain!.got).not.toHaveProperty('x-key');
  });

  test('are not in the archive, except harmless ones', async () => {
    const headers = { '*': { 'X-Key': 'hidden-1', 'Accept-Language': 'de' } };
    const cookies = [{ domain: 'a.test', name: 'id', value: 'hidden-2' }];
    const [own] = await sentTo({ headers, cookies, auth: { '*': 'me:hidden-3' } }, 'a.test');
    expect(own!.got).toMatchObject({ 'x-key': 'hidden-1', cookie: 'id=hidden-2' });
    expect(own!.got.authorization).toBe(`Basic ${btoa('me:hidden-3')}`);
    expect(own!.head).not.toContain('hidden');
    expect(own!.head).not.toContain(btoa('me:hidden-3'));
    expect(own!.head).toContain('X-Key: [removed]\r\nAccept-Language: de\r\n');
  });

  test('of a request by project code are archived as those of the operator', async () => {
    const server = await serveHttp((_request, response) => response.end());
    const headers = { Authorization: 'Bearer hidden', 'X-Key': 'hidden', Range: 'bytes=0-9' };
    const response = asResponse(await openFetcher().fetch({ url: `${server.origin}/`, headers }));
    expect(server.received[0]).toContain('Bearer hidden');
    const head = Buffer.from(response.requestHead).toString();
    expect(head).not.toContain('hidden');
    expect(head).toContain('X-Key: [removed]\r\nRange: bytes=0-9\r\n');
  });

  test.each([
    ['a line end', { 'X-A': 'a\r\nX-B: b' }],
    ['a line end in the name', { 'X-A\r\nX-B': 'b' }],
    ['a NUL', { 'X-A': 'a\0' }],
    ['Host', { Host: 'b.test' }],
    ['Content-Length', { 'content-length': '0' }],
    ['User-Agent', { 'User-Agent': 'x' }],
    ['Proxy-Authorization', { 'Proxy-Authorization': 'x' }],
    ['Range', { Range: 'bytes=0-1' }],
  ])('with %s are refused', (_name, headers) => {
    expect(() => parseConfig({ headers: { '*': headers } })).toThrow();
  });
});

describe('a file of cookies', () => {
  const line = (...fields: string[]) => fields.join('\t');
  const read = (...lines: string[]) => readNetscapeCookies(lines.join('\n'));

  test('is read with its domains, paths, flags and times', () => {
    const { cookies, ignored } = read(
      '# Netscape HTTP Cookie File',
      '',
      line('.example.org', 'TRUE', '/', 'TRUE', '2000', 'a', '1'),
      line('#HttpOnly_www.example.org', 'FALSE', '/docs', 'FALSE', '0', 'b', ''),
      line('www.example.org', 'FALSE', '/', 'FALSE', '0', 'c'),
    );
    expect(ignored).toBe(0);
    expect(cookies).toEqual([
      {
        domain: 'example.org',
        subdomains: true,
        path: '/',
        secure: true,
        expiresAt: 2_000_000,
        name: 'a',
        value: '1',
      },
      { domain: 'www.example.org', path: '/docs', name: 'b', value: '' },
      { domain: 'www.example.org', path: '/', name: 'c', value: '' },
    ]);
  });

  test.each([
    ['no cookie', 'hello'],
    ['a cookie for all of a public suffix', line('.co.uk', 'TRUE', '/', 'FALSE', '0', 'a', '1')],
    ['a value that would end the header', line('a.test', 'FALSE', '/', 'FALSE', '0', 'a', '1\x0b\x00')],
    ['a value that would be two cookies', line('a.test', 'FALSE', '/', 'FALSE', '0', 'a', '1; b=2')],
    ['a path that is none', line('a.test', 'FALSE', 'x', 'FALSE', '0', 'a', '1')],
    ['a very long value', line('a.test', 'FALSE', '/', 'FALSE', '0', 'a', 'x'.repeat(5000))],
  ])('leaves out and counts %s', (_name, text) => {
    expect(read(text)).toEqual({ cookies: [], ignored: 1 });
  });

  test.each([
    ['https://www.example.org/docs/a', 'b=2; a=1'],
    ['https://www.example.org/docsy', 'a=1'],
    ['http://www.example.org/docs', 'b=2'],
    ['https://example.org/', 'a=1'],
    ['https://example.org.evil.test/', undefined],
    ['https://notexample.org/', undefined],
    ['https://x.www.example.org/docs', 'a=1'],
  ])('sends to %s what is meant for it', (url, sent) => {
    const jar = createCookieJar([
      { domain: 'example.org', subdomains: true, path: '/', secure: true, name: 'a', value: '1' },
      { domain: 'www.example.org', path: '/docs', name: 'b', value: '2' },
      { domain: 'example.org', subdomains: true, path: '/', expiresAt: 999, name: 'old', value: '3' },
    ]);
    expect(jar(url, later)).toBe(sent);
  });
});
