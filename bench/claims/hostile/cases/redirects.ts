/** Redirects to private addresses, to what is no web, to themselves, and without an end. */
import { asked, atMost, type Check, kept, settled } from '../checks.ts';
import type { Addresses, HostileCase } from '../hostile-case.ts';
import { page, redirect, repeated, replyCase, response } from '../replies.ts';
import { PRIVATE_HOSTS } from './private.ts';

const to = (
  name: string,
  location: (addresses: Addresses) => string,
  checks: readonly Check[] = [settled(), atMost(4)],
): HostileCase =>
  replyCase(`redirect: to ${name}`, checks, ({ addresses }) => redirect(location(addresses)), {
    isQuick: true,
  });

const REDIRECTS: readonly HostileCase[] = [
  ...PRIVATE_HOSTS.filter((_, i) => i % 4 === 0).map((host) =>
    to(
      `http://${host}`,
      ({ port, canaryPath }) => `http://${Buffer.from(host).toString('latin1')}:${port}${canaryPath}`,
    ),
  ),
  ...[
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,<a href=/x>',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1:70/',
    'about:blank',
    'blob:http://a.test/1',
    'view-source:/',
    'mailto:a@b.test',
    'ws:/',
  ].map((location) => to(location, () => location)),
  to(
    'a port that browsers refuse',
    ({ origin, port, canaryPath }) => `${origin.replace(String(port), '6667')}${canaryPath}`,
  ),
  to('its own port by https', ({ origin }) => `${origin.replace('http:', 'https:')}/x1`),
  to('itself', () => '/', [settled(), atMost(15)]),
  to('itself in another spelling', () => '/%2e/./?', [settled(), atMost(15)]),
  to('nothing: an empty Location', () => ''),
  to('a Location of 50 KB', () => `/${repeated('y', 50_000)}`),
  to('a Location of 50 KB of ../', () => repeated('../', 50_000), [settled(), atMost(15)]),
  to('a Location in UTF-8', () => Buffer.from('/ü€').toString('latin1'), [
    settled(),
    asked('/%C3%BC%E2%82%AC'),
  ]),
  to('a Location in Latin-1', () => '/\xfc', [settled(), atMost(4)]),
  to('a Location with spaces and tabs', () => '  /a\tb c  ', [settled(), atMost(4)]),
  to(
    'a Location with a fragment and user',
    ({ origin }) => `${origin.replace('://', '://user:pass@')}/to#part`,
    [settled(), asked('/to')],
  ),
  to('a host of dots', ({ port }) => `http://...:${port}/`),
  to('a port that is none', ({ origin }) => `${origin}999999/`),
];

const CHAINS: readonly HostileCase[] = [
  {
    name: 'redirect: a chain without an end',
    isQuick: true,
    checks: [settled(), atMost(15)],
    answer: ({ target }) =>
      target === '/robots.txt' ? undefined : redirect(`/${Number(target.slice(1)) + 1}`),
  },
  {
    name: 'redirect: two pages to each other',
    isQuick: true,
    checks: [settled(), atMost(15)],
    answer: ({ target }) => (target === '/robots.txt' ? undefined : redirect(target === '/' ? '/b' : '/')),
  },
  replyCase('redirect: without a Location', [settled(), atMost(4)], () => response({ status: '301 Moved' }), {
    isQuick: true,
  }),
  replyCase(
    'redirect: two Locations',
    [settled(), atMost(5)],
    ({ addresses: { port, canaryPath } }) =>
      response({
        status: '302 Found',
        headers: [
          ['Location', '/to'],
          ['Location', `http://127.0.0.1:${port}${canaryPath}`],
        ],
      }),
    { isQuick: true },
  ),
  replyCase(
    'redirect: 300 with links',
    [settled()],
    () => response({ status: '300 Multiple Choices', body: '<a href=/first>1</a>' }),
    { isQuick: true },
  ),
  {
    name: 'redirect: a thousand pages to one private address',
    isQuick: false,
    checks: [kept()],
    answer({ target, addresses: { port, canaryPath } }) {
      if (target === '/robots.txt') return undefined;
      if (target === '/')
        return page(
          'Links',
          Array.from({ length: 1000 }, (_, i) => `/to${i}`),
        );
      return redirect(`http://127.0.0.1:${port}${canaryPath}?${target.slice(1)}`);
    },
  },
];

export const REDIRECT_CASES: readonly HostileCase[] = [...REDIRECTS, ...CHAINS];
