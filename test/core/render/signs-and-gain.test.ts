import { describe, expect, test } from 'vitest';
import { gainOf, type ReadPage, routeGain } from '../../../shared/core/render/gain.ts';
import { isMeasurementHost } from '../../../shared/core/render/measurement-hosts.ts';
import { isUnfilled } from '../../../shared/core/render/unfilled.ts';
import { withoutHang } from '../../hang-guard.ts';

const words = (count: number, start = 'w') =>
  Array.from({ length: count }, (_, i) => `${start}${i}`).join(' ');
const read = (main: string, links: string[] = [], visible = main): ReadPage => ({
  url: 'http://a.test/',
  main,
  visible,
  links: links.map((path) => ({ url: new URL(path, 'http://a.test/').href, kind: 'a' })),
});

test.each<[string, ReadPage, ReadPage, number]>([
  ['a slide of a page that holds all', read(words(500)), read(words(100)), 0],
  ['a page beside a longer one', read(words(5000)), read(words(100, 'n')), 100],
  ['an entry that is opened in a list', read(words(900)), read(`${words(900)} ${words(100, 'n')}`), 10],
  ['words that the shell shows beside its main content', read('', [], words(99)), read(words(99)), 0],
  ['hardly a word', read(''), read(words(2)), 10],
  ['links that its shell has', read('', ['/1', '/2']), read('', ['/1', '/2']), 0],
  ['links alone', read(''), read('', ['/1', '/2', '/3', '/4', '/5']), 100],
])('of a route, %s: %s', (_, shell, route, expected) => {
  expect(routeGain(shell, route, () => true)).toBeCloseTo(expected);
});

test.each(['404 Not found', ''])(
  'a route that shows next to nothing says nothing of others: "%s"',
  (text) => {
    const shell = read(words(60), ['/1']);
    expect(routeGain(shell, read(text, ['/1']), () => true)).toBeUndefined();
    expect(routeGain(shell, read(text, ['/1', '/2', '/3', '/4', '/5']), () => true)).toBe(80);
  },
);

describe('the gain of rendering', () => {
  test.each<[string, ReadPage, ReadPage, number]>([
    ['the same page', read(words(100), ['/1']), read(words(100), ['/1']), 0],
    ['half as many new words', read(words(100)), read(`${words(100)} ${words(50, 'n')}`), 50],
    [
      'words that come more often',
      read('a b', [], `a b ${words(18)}`),
      read(words(20).replace(/w\d+/g, 'a')),
      95,
    ],
    ['words that the plain page shows beside its main content', read('', [], words(99)), read(words(99)), 0],
    ['a few words on an empty page', read(''), read(words(4)), 100],
    ['a few words on a page that shows a menu alone', read('', [], words(10)), read(words(4, 'n')), 40],
    ['a few words on a page that shows others', read('', [], words(40)), read(words(4, 'n')), 20],
    [
      'links to the own host',
      read(words(50), ['/1', '/2']),
      read(words(50), ['/1', '/2', '/3', '/4', '/5', '/6', '/7']),
      100,
    ],
    ['a link to another host', read(words(50)), read(words(50), ['http://b.test/']), 0],
    ['a script that takes all away', read(words(50), ['/1']), read(''), 0],
    ['writing without blanks', read('', [], words(20)), read('\u6f22\u5b57'.repeat(20)), 200],
  ])('%s', (_, plain, rendered, gain) => {
    expect(gainOf(plain, rendered, () => true)).toBe(gain);
  });

  test('has no links that the crawl knows already, or does not want', () => {
    const menu = read(words(50), ['/1', '/2', '/3', '/4', '/5']);
    expect(gainOf(read(words(50)), menu, (url) => url.endsWith('/5'))).toBe(20);
  });
});

describe('a page that its scripts fill', () => {
  const long = { textChars: 1000, ownLinks: 10 };
  const short = { textChars: 500, ownLinks: 10 };
  test.each([
    ['<div id="root"></div>', short, true],
    ["<div class=a id='app' data-x><!-- app --> </div>", short, true],
    ['<div id=root><p>Text</p></div>', short, false],
    ['<div id=rooted></div>', short, false],
    ['<app-root></app-root>', short, true],
    ['<app-root>text</app-root>', short, false],
    ['<noscript>Please enable <b>JavaScript</b>.</noscript>', short, true],
    ['<noscript><img src=x></noscript><p>JavaScript', short, false],
    ['<div id="root"></div><noscript>JavaScript</noscript>', long, false],
    ['<div class=list> Loading... </div>', long, true],
    ['<p>Loading docks</p>', long, false],
    ['<p>Thank you</p>', { textChars: 8, ownLinks: 0 }, true],
    ['<p>Thank you</p>', { textChars: 8, ownLinks: 3 }, true],
    ['<main><ul class=list>\n<li></li></ul></main>', long, true],
    ['<main><p>Text</p></main>', long, false],
    [`<main>${'<p></p>'.repeat(1000)}</main>`, long, false],
    ['<main><p>', long, false],
    ['<p>A start page whose scripts make the menu', { textChars: 5000, ownLinks: 0 }, true],
    ['<p>A page that leads on', { textChars: 5000, ownLinks: 1 }, false],
  ])('%s', (markup, facts, expected) => {
    expect(isUnfilled(markup, facts)).toBe(expected);
  });

  test.each([
    '<div id=root',
    '<div id="root">',
    '<a-a>',
    '<div id=root><!--',
    '<noscript>',
    '> loading',
    '<div ',
    '<main>',
  ])('markup of many %s takes no time', (piece) => {
    withoutHang(() => isUnfilled(piece.repeat(200_000), short));
  });
});

test.each([
  ['www.google-analytics.com', true],
  ['google-analytics.com', true],
  ['notgoogle-analytics.com', false],
  ['api.example.org', false],
  ['com', false],
])('%s counts visitors: %s', (name, expected) => {
  expect(isMeasurementHost(name)).toBe(expected);
});
