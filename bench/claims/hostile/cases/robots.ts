/** Hostile robots.txt files: RFC 9309. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { asked, atMost, type Check, kept, neverAsked, settled } from '../checks.ts';
import type { HostileCase, HostileRequest, Reply } from '../hostile-case.ts';
import {
  head,
  KB,
  listed,
  MB,
  page,
  raw,
  redirect,
  repeated,
  response,
  stream,
  type Text,
} from '../replies.ts';

/** A host with this robots.txt, whose `/` links to `/first` and `/xno`. */
function robots(
  name: string,
  reply: (request: HostileRequest) => Reply,
  checks: readonly Check[],
  isQuick = true,
): HostileCase {
  return {
    name: `robots.txt: ${name}`,
    isQuick,
    checks,
    answer(request) {
      if (request.target === '/robots.txt') return reply(request);
      return request.target === '/' ? page('A page', ['/first', '/xno']) : undefined;
    },
  };
}

const file = (body: Text, type = 'text/plain'): Reply => response({ type, body });
const group = (rules: string): string => `User-agent: *\n${rules}\n`;

const ALLOWED = [kept(), asked('/first'), asked('/xno')];
const FORBIDDEN_X = [kept(), asked('/first'), neverAsked('/xno')];
const CLOSED = [settled(), neverAsked('/'), neverAsked('/first')];

export const ROBOTS_CASES: readonly HostileCase[] = [
  robots(
    '500 KB of wildcards',
    () => file(group(listed(50_000, () => 'Allow: /*a*b*c*d*e*f*g*h*$').slice(0, 499 * KB))),
    [kept(), asked('/first')],
  ),
  robots(
    'one rule of 400 KB of stars',
    () => file(group(`Disallow: /${repeated('*', 400 * KB)}z$\nDisallow: /x`)),
    // Cut, it forbids more than it says: the safe side.
    [settled(), neverAsked('/xno')],
  ),
  robots(
    'one rule of 400 KB of *a',
    () => file(group(`Disallow: /${repeated('*a', 400 * KB)}z$\nDisallow: /x`)),
    FORBIDDEN_X,
  ),
  robots(
    '100,000 groups',
    () =>
      file(
        listed(30_000, (i) => `User-agent: b${i}\nDisallow: /\n`).slice(0, 450 * KB) +
          `\n${group('Disallow: /x')}`,
      ),
    FORBIDDEN_X,
  ),
  robots(
    '30,000 user agents in one group',
    () => file(`${listed(20_000, (i) => `User-agent: b${i}\n`)}${group('Disallow: /x')}`),
    FORBIDDEN_X,
  ),
  robots(
    '16 MB, rules within the first 500 KiB',
    () => file(`${group('Disallow: /x')}${repeated('# comment\n', 16 * MB)}`),
    FORBIDDEN_X,
    false,
  ),
  robots(
    'without an end',
    () =>
      stream(
        endless(
          '# and on and on\n',
          `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n${group('Disallow: /x')}`,
        ),
      ),
    FORBIDDEN_X,
    false,
  ),
  robots(
    'binary',
    () => file(Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7919) & 255))),
    ALLOWED,
  ),
  robots('null bytes between rules', () => file(`\0\0${group('\0Disallow: /x')}\0`), [settled()]),
  robots(
    'HTML',
    () => file('<!doctype html><html><body>User-agent: *<br>Disallow: /</body></html>', 'text/html'),
    ALLOWED,
  ),
  robots('UTF-16', () => file(Buffer.from(`\ufeff${group('Disallow: /x')}`, 'utf16le')), [settled()]),
  robots('a BOM, CR alone as line ends', () => file('\ufeffUser-agent: *\rDisallow: /x\r'), FORBIDDEN_X),
  robots(
    'a line of 499 KB',
    () => file(`${group('Disallow: /x')}Disallow: /${repeated('y', 499 * KB)}`),
    FORBIDDEN_X,
  ),
  robots(
    'Crawl-delay of all kinds',
    () =>
      file(
        group(
          'Crawl-delay: 1e99\nCrawl-delay: -5\nCrawl-delay: NaN\nCrawl-delay: 0x10\nCrawl-delay: ٣\nDisallow: /x',
        ),
      ),
    [settled()],
    false,
  ),
  robots(
    '10,000 sitemaps at private addresses',
    ({ addresses: { port, canaryPath } }) =>
      file(
        listed(5000, (i) => `Sitemap: http://127.0.0.1:${port}${canaryPath}?${i}\n`) + group('Disallow: /x'),
      ),
    FORBIDDEN_X,
  ),
  robots(
    '1,000 sitemaps that are not there',
    ({ addresses: { origin } }) =>
      file(listed(1000, (i) => `Sitemap: ${origin}/xmap${i}\n`) + group('Disallow: /x')),
    [...FORBIDDEN_X, atMost(10)],
  ),
  robots('a redirect to itself', () => redirect('/robots.txt'), [settled()]),
  robots('100 redirects', () => redirect('/robots.txt?1'), [settled()]),
  robots(
    'a redirect to the canary',
    ({ addresses: { port, canaryPath } }) => redirect(`http://127.0.0.1:${port}${canaryPath}`),
    [settled()],
  ),
  robots('a redirect to file:', () => redirect('file:///etc/passwd'), [settled()]),
  robots('403', () => response({ status: '403 Forbidden' }), ALLOWED),
  robots('404 with rules', () => response({ status: '404 Not Found', body: group('Disallow: /') }), ALLOWED),
  robots('503', () => response({ status: '503 Service Unavailable' }), CLOSED, false),
  robots(
    '500 once, then rules',
    ({ times }) =>
      times === 0 ? response({ status: '500 Internal Server Error' }) : file(group('Disallow: /x')),
    [settled(), neverAsked('/xno')],
    false,
  ),
  robots('no answer', () => stream([], 'hang'), CLOSED, false),
  robots('an octet each second', () => stream(drip(group('Disallow: /x'))), [neverAsked('/xno')], false),
  robots(
    'cut in the middle',
    () => raw(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${group('Disallow: /x')}`),
    [neverAsked('/xno')],
    false,
  ),
  robots(
    'a gzip bomb of 200 MB, rules first',
    () =>
      response({
        type: 'text/plain',
        headers: [['Content-Encoding', 'gzip']],
        body: gzipSync(group('Disallow: /x') + repeated('# comment\n', 200 * MB)),
      }),
    FORBIDDEN_X,
    false,
  ),
  robots(
    'gzip said, plain sent',
    () =>
      response({ type: 'text/plain', headers: [['Content-Encoding', 'gzip']], body: group('Disallow: /x') }),
    [settled()],
    false,
  ),
];

function* endless(piece: string, start: string): Generator<Buffer> {
  yield Buffer.from(start);
  const block = Buffer.from(piece.repeat(4096));
  for (;;) yield block;
}

async function* drip(body: string): AsyncGenerator<Buffer> {
  yield head('HTTP/1.1 200 OK', [['Content-Type', 'text/plain']]);
  for (const letter of body) {
    yield Buffer.from(letter);
    await sleep(1000);
  }
}
