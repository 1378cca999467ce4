import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize } from '../../../shared/core/url/canonical.ts';
import { createDocumentPaths } from '../../../shared/services/outputs/document-paths.ts';
import { relativeReference } from '../../../shared/services/outputs/relative-path.ts';

/** As APFS compares names. */
const folded = (path: string) =>
  [...path.normalize('NFD')]
    .map((char) => char.toLowerCase().toUpperCase())
    .join('')
    .normalize('NFD');

const pathFor = (url: string) => createDocumentPaths().add(url);

describe('the path of a URL', () => {
  test.each([
    ['http://a.org/', 'a.org/index.md'],
    ['https://a.org:8080/', 'a.org_8080/index.md'],
    ['http://[::1]/', '[_1]/index.md'],
    ['http://a.org/guide/', 'a.org/guide/index.md'],
    ['http://a.org/guide/start.html', 'a.org/guide/start.md'],
    ['http://a.org/list?page=2', 'a.org/list_page=2.md'],
    ['http://a.org/?q=a/b', 'a.org/index_q=a_b.md'],
    ['http://a.org/#/guide', 'a.org/guide.md'],
    ['http://a.org/docs/#!/guide/?a=1', 'a.org/docs/guide/index_a=1.md'],
    ['http://a.org/app.html?v=1#/list', 'a.org/app.html/v=1/list.md'],
    ['http://a.org/#/../../etc/passwd', 'a.org/etc/passwd.md'],
    ['http://a.org/%C3%BCber/%E6%97%A5', 'a.org/über/日.md'],
    ['http://a.org/%2e%2e%2fetc%2fpasswd', 'a.org/_._etc_passwd.md'],
    ['http://a.org/aux/con.html', 'a.org/aux_/con_.md'],
    ['http://a.org/COM%C2%B9/lpt%C2%B2.html', 'a.org/COM¹_/lpt²_.md'],
    ['http://a.org/com0/LPT9.x?a', 'a.org/com0_/LPT9_.x_a.md'],
    ['http://a.org/README.md/more', 'a.org/README.md_/more.md'],
    ['http://a.org/a%0Ab%00c', 'a.org/a_b_c.md'],
    ['http://a.org/%FF', 'a.org/%FF.md'.replace('%', '_')],
  ])('%s is %s', (url, path) => {
    expect(pathFor(url)).toBe(path);
  });

  test('is another one for another URL, also where systems ignore case or normalize Unicode', () => {
    const paths = createDocumentPaths();
    const urls = ['/a', '/a.html', '/A', '/%C3%A9', '/e%CC%81', '/a?', '/a_', '/a/index', '/a/'];
    const found = urls.map((path) => paths.add(`http://a.org${path}`).normalize('NFC').toLowerCase());
    expect(new Set(found).size).toBe(urls.length);
    expect(paths.add('http://a.org/A')).toBe(paths.pathOf('http://a.org/A'));
  });

  test.each([
    ['a name with the hash that is taken', ['/b!x', '/b!x~a567cca2', '/b_x']],
    ['such a name that comes first', ['/b_x~a567cca2', '/b_x~a567cca2-2', '/b!x', '/b_x', '/b$x']],
    ['sharp s', ['/stra%C3%9Fe', '/STRASSE', '/stra%E1%BA%9Ee', '/strasse', '/stra%C5%BF%C5%BFe']],
    ['ligatures', ['/%EF%AC%81le', '/FILE', '/file']],
    ['sigma', ['/%CF%83%CF%82', '/%CE%A3%CE%A3', '/%CF%83%CF%83']],
    ['accents', ['/%C3%89', '/e%CC%81', '/E%CC%81', '/%C3%A9']],
    ['the dotted I, and Kelvin', ['/%C4%B0', '/i%CC%87', '/k', '/%E2%84%AA']],
  ])('is another one for each of %s', (_, given) => {
    const paths = createDocumentPaths();
    const found = given.map((path) => paths.add(`http://a.org${path}`));
    expect(new Set(found.map(folded)).size).toBe(given.length);
  });

  test('is short, stays in the folder, and is no name that a system reserves, whatever the URL', () => {
    const urls = fc
      .tuple(fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 30 }), fc.string())
      .map(([words, query]) =>
        canonicalize(`http://a.org/${words.map(encodeURIComponent).join('/')}?${query}`),
      );
    fc.assert(
      fc.property(fc.array(urls, { maxLength: 8 }), (given) => {
        const paths = createDocumentPaths();
        const distinct = [...new Set(given.filter((url) => url !== undefined))];
        const found = distinct.map((url) => paths.add(url));
        expect(new Set(found.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(distinct.length);
        for (const path of found) {
          const names = path.split('/');
          expect(names.length).toBeLessThanOrEqual(10);
          for (const name of names) {
            expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100);
            expect(name).not.toMatch(/^$|^\.|[. ]$|[\p{Cc}<>:"\\|?*]|^(con|aux|nul|prn)(\.|$)/iu);
            expect(name.isWellFormed()).toBe(true);
          }
          expect(names.slice(0, -1).some((name) => name.toLowerCase().endsWith('.md'))).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });
});

test.each([
  ['a.org/x.md', 'a.org/y.md', 'y.md'],
  ['a.org/b/x.md', 'a.org/y z.md', '../y%20z.md'],
  ['a.org/x.md', 'b.org/c/y.md', '../b.org/c/y.md'],
  ['a.org/x.md', 'a.org/x.md', 'x.md'],
  ['x.md', 'a.org/x.md', 'a.org/x.md'],
])('from %s to %s it is %s', (from, to, reference) => {
  expect(relativeReference(from, to)).toBe(reference);
});
