/** Canonical URLs that templates name for pages that are no copies. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { isMistakenCanonical } from '../../../shared/core/url/mistaken-canonical.ts';

const A = 'http://a.test';

test.each([
  ['/news/1', '/'],
  ['/en/', '/'],
  ['/shop?p=7', '/'],
  ['/indexes', '/'],
  ['/news/1', '/index.php'],
  ['/news/1', '/Default.aspx'],
  ['/view.php?id=7', '/view.php'],
  ['/view.asp?lang=de&id=about', '/view.asp?lang=de'],
  ['/list?page=2', '/list'],
  ['/list?page=2', '/list/'],
  ['/list?page=2', '/list?page=1'],
  ['/list?color=red&page=2', '/list?color=red'],
  ['/list?start=20', '/list?start=0'],
  ['/blog/page/2/', '/blog/'],
  ['/blog/page/10', '/blog'],
  ['/blog/page-3', '/blog/page/1'],
  ['/page/2', '/page/1'],
])('%s is no copy of %s', (page, canonical) => {
  expect(isMistakenCanonical(A + page, A + canonical)).toBe(true);
  const isFrontPage = /^\/(?:(?:index|Default)\.\w+)?$/.test(canonical);
  expect(isMistakenCanonical(A + page, `https://www.a.test${canonical}`)).toBe(isFrontPage);
});

test.each([
  ['/?utm_source=x', '/'],
  ['/index.html', '/'],
  ['/Default.aspx?a', '/'],
  ['/home/', '/'],
  ['/home/', '/index.php'],
  ['/?p=7', '/index.html'],
  ['/news/1', '/start'],
  ['/news/1', '/index.php?id=1'],
  ['/view.php?id=', '/view.php'],
  ['/view.php?ref=7', '/view.php'],
  ['/view.php?id=7&sort=x', '/view.php?id=7'],
  ['/view.php?id=7', '/view.php?id=8'],
  ['/view/7?id=7', '/view/7'],
  ['/view.php?id=7', '/list.php'],
  ['/?p=7', '/news'],
  ['/news/1', '/?lang=en'],
  ['/news/1', '/news/'],
  ['/list?page=1', '/list'],
  ['/list?page=0', '/list?page=1'],
  ['/list?color=red&page=2', '/list'],
  ['/list?page=3', '/list?page=2'],
  ['/list?page=all', '/list'],
  ['/list?page=20261127000000', '/list'],
  ['/list?pages=2', '/list'],
  ['/blog/page/2/print', '/blog/page/2'],
  ['/product/page2000', '/other'],
])('%s may be a copy of %s', (page, canonical) => {
  expect(isMistakenCanonical(A + page, A + canonical)).toBe(false);
});

test('the first page of a list is never lost by what its later pages name', () => {
  const path = fc.constantFrom('/list', '/list/', '/', '/a/b');
  const parameter = fc.constantFrom('page=2', 'page=1', 'start=0', 'sort=x', 'page', 'p=3');
  const url = fc
    .tuple(path, fc.array(parameter, { maxLength: 4 }))
    .map(
      ([to, query]) => canonicalize(`${A}${to}${query.length > 0 ? `?${query.join('&')}` : ''}`) as string,
    );
  fc.assert(
    fc.property(url, url, (page, canonical) => {
      // One at most is said to be a later page of the other.
      const numbers = [isMistakenCanonical(page, canonical), isMistakenCanonical(canonical, page)];
      const isOfFront = [page, canonical].some((each) => each === `${A}/`);
      expect(isOfFront || numbers.filter(Boolean).length < 2).toBe(true);
      expect(isMistakenCanonical(page, page)).toBe(false);
    }),
    { numRuns: 500 },
  );
});
