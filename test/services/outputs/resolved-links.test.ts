import { expect, test } from 'vitest';
import { resolvedLinks } from '../../../shared/services/outputs/resolved-links.ts';

test('a link to a route behind # names its shell and the route, from the base of the page', () => {
  const html =
    '<base href="/app/"><a href="#/a">a</a><a href="#/b#part">b</a><a href="#top">top</a><a href="/x#/">x</a>';
  expect(resolvedLinks({ text: html, charset: 'utf-8' }, 'http://a.test/docs')).toEqual([
    { target: 'http://a.test/app/', route: 'http://a.test/app/#/a', text: 'a', element: 'a' },
    { target: 'http://a.test/app/', route: 'http://a.test/app/#/b', text: 'b', element: 'a' },
    { target: 'http://a.test/app/', text: 'top', element: 'a' },
    { target: 'http://a.test/x', text: 'x', element: 'a' },
  ]);
});
