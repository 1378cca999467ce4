/** Weird URLs in links: what the URL Standard makes of them is requested, and nothing else. */
import { asked, atMost, kept, neverAsked, settled } from '../checks.ts';
import type { HostileCase, HostileRequest } from '../hostile-case.ts';
import { listed, pageCase, repeated } from '../replies.ts';

/** One link; the target that must be requested, or none. */
const url = (
  name: string,
  reference: string | ((request: HostileRequest) => string),
  target?: string,
): HostileCase =>
  pageCase(
    `url: ${name}`,
    (request) =>
      `<a href="${(typeof reference === 'string' ? reference : reference(request)).replaceAll('"', '&quot;')}">a</a>`,
    target === undefined
      ? [kept(), asked('/first'), asked('/last'), atMost(4)]
      : [kept(), asked('/first'), asked('/last'), asked(target), atMost(5)],
    { isQuick: true },
  );

export const URL_CASES: readonly HostileCase[] = [
  url('user information', ({ addresses: { origin } }) => `${origin.replace('//', '//user:p%40ss@')}/u`, '/u'),
  url(
    'a user that looks like a host',
    ({ addresses: { origin } }) => `${origin.replace('//', '//127.0.0.1:80%2F@')}/u`,
    '/u',
  ),
  url('tabs and line feeds within', '/t\ta\nb\rc', '/tabc'),
  url('tabs within the scheme', ({ addresses: { origin } }) => `${origin.replace('http', 'ht\ttp')}/t`, '/t'),
  url('backslashes', '\\b\\c', '/b/c'),
  url('backslashes for slashes', ({ addresses: { origin } }) => `${origin.replace('//', '\\\\')}\\b`, '/b'),
  url('dot segments', '/a/./b/../c/%2e%2E/d', '/a/d'),
  url('dots beyond the root', '/../../../up', '/up'),
  url('dots alone', '/a/...', '/a/...'),
  url('a scheme without slashes', 'http:rel', '/rel'),
  url('one slash', 'http:/one', '/one'),
  url('five slashes', ({ addresses: { origin } }) => `${origin.replace('//', '/////')}/five`, '/five'),
  url('64 KB', `/${repeated('y', 65_536)}`),
  url('2 KB of %', `/${repeated('%', 2000)}`, `/${repeated('%', 2000)}`),
  url('percent rubbish', '/p%zz%1%%20%', '/p%zz%1%%20%'),
  url('percent-encoded letters', '/%61%62%63', '/abc'),
  url('lower-case escapes', '/%e4%c3', '/%E4%C3'),
  url('an encoded slash is kept apart', '/a%2fb', '/a%2Fb'),
  url('an encoded null byte', '/n%00x', '/n%00x'),
  url('an encoded line end', '/n%0d%0aX-Injected:%20yes', '/n%0D%0AX-Injected:%20yes'),
  url('letters beyond ASCII', '/ü€𝄞', '/%C3%BC%E2%82%AC%F0%9D%84%9E'),
  url('a lone surrogate', '/&#xd800;', '/%EF%BF%BD'),
  url('spaces', '  /s p a  ', '/s%20p%20a'),
  url('quotes and angles', '/q"<>`', '/q%22%3C%3E%60'),
  url('brackets and bars', '/[a]|{b}^', '/[a]|%7Bb%7D%5E'),
  url('a question mark alone', '/q?', '/q?'),
  url('many question marks', '/q??a?b', '/q??a?b'),
  url('a fragment with a query', '/f#a?b', '/f'),
  url(
    'the port in odd digits',
    ({ addresses: { origin, port } }) => `${origin.replace(`:${port}`, `:0000${port}`)}/port`,
    '/port',
  ),
  url(
    'the host in hexadecimal',
    ({ addresses: { origin } }) => `${origin.replace(/127\.66/, '0x7f.0x42')}/hex`,
    '/hex',
  ),
  url(
    'a port beyond 65535',
    ({ addresses: { origin, port } }) => `${origin.replace(`:${port}`, ':65536')}/p`,
  ),
  url('a port of letters', ({ addresses: { origin, port } }) => `${origin.replace(`:${port}`, ':http')}/p`),
  url('an empty host', 'http:///'),
  url('a host with a space', 'http://a b/'),
  url('a host with %00', 'http://a%00b/'),
  url('an IPv6 zone', 'http://[fe80::1%25eth0]/'),
  url('IPv6 that is none', 'http://[::1::]/'),
  url('IPv4 that is none', 'http://1.2.3.4.5/'),
  url('IPv4 with 256', 'http://256.256.256.256/'),
  url('a label of 64 letters', `http://${repeated('a', 64)}.canary.test/`),
  url('a name of 300 letters', `http://${repeated('abcdefg.', 300)}canary.test/`),
  url('an underscore and a hyphen at the ends', 'http://_a-.canary.test/'),
  url('other schemes', 'javascript:alert(1)'),
  url('a scheme in odd case', 'JaVaScRiPt:alert(1)'),
  url('a data URL', 'data:text/html,<a href=/hidden>'),
  url('a mail address', 'mailto:a@b.test'),
  url('a template that nobody filled in', '/{{ url }}', '/%7B%7B%20url%20%7D%7D'),
  pageCase(
    'url: 25 segments and more are a trap',
    () => `<a href="/${repeated('d1/e2/f3/g4/h5/', 25 * 3)}">a</a>`,
    [kept(), asked('/first'), neverAsked(/^\/d1/)],
    { isQuick: true },
  ),
  pageCase(
    'url: 40 parameters are a trap',
    () => `<a href="/q?${listed(40, (i) => `p${i}=1&`)}">a</a>`,
    [kept(), asked('/first'), neverAsked(/^\/q/)],
    { isQuick: true },
  ),
  {
    name: 'url: a seed of 3,000 letters',
    isQuick: true,
    seeds: ['/', `/${'s'.repeat(3000)}`],
    checks: [kept(), settled(`/${'s'.repeat(3000)}`), atMost(3)],
    answer: () => undefined,
  },
];
