import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDocumentPaths } from '../../../shared/services/outputs/document-paths.ts';
import { createMirrorPaths } from '../../../shared/services/outputs/mirror-paths.ts';

/** As APFS compares names. */
const folded = (path: string) =>
  [...path.normalize('NFD')]
    .map((char) => char.toLowerCase().toUpperCase())
    .join('')
    .normalize('NFD');

/** Words that meet in folded names, and the marks of names with a hash. */
const word = fc.constantFrom(
  ...['a', 'A', 'ß', 'ss', 'SS', 'ẞ', 'ſ', 's', 'é', 'e\u0301', 'ﬁ', 'fi', 'i\u0307', 'İ', 'ı', 'K', 'k'],
  ...[
    '!',
    '_',
    '~',
    '.',
    '..',
    'index',
    'index.html',
    'con',
    'COM¹',
    'lpt³.txt',
    '~a567cca2',
    '.md',
    'a.md',
    '%',
    ' ',
  ],
);
const path = fc
  .array(fc.array(word, { maxLength: 3 }), { minLength: 1, maxLength: 4 })
  .map((words) => `http://a.org/${words.map((parts) => encodeURIComponent(parts.join(''))).join('/')}`);

test('files of a mirror and of documents are different, and no file is a folder, on any file system', () => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 40 }), (given) => {
      const urls = [...new Set(given.map((url) => new URL(url).href))];
      const [mirror, documents] = [createMirrorPaths(), createDocumentPaths()];
      for (const found of [
        urls.map((url) => mirror.add(url, 'text/html')),
        urls.map((url) => documents.add(url)),
      ]) {
        const files = new Set(found.map(folded));
        expect(files.size).toBe(urls.length);
        for (const file of found) {
          const names = file.split('/');
          for (let i = 1; i < names.length; i++)
            expect(files.has(folded(names.slice(0, i).join('/')))).toBe(false);
          for (const name of names)
            expect(name).not.toMatch(/^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)|^\.|^$/i);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test('a page cannot take the name that another one gets instead of its own', () => {
  const mirror = createMirrorPaths();
  const urls = ['http://a.org/b!x', 'http://a.org/b_x', 'http://a.org/b$x'];
  const first = urls.map((url) => createMirrorPaths().add(url, 'text/html'));
  expect(new Set(first).size).toBe(1);
  const again = (url: string) => {
    const paths = createMirrorPaths();
    paths.add(urls[0]!, 'text/html');
    return paths.add(url, 'text/html');
  };
  const instead = urls.slice(1).map((url) => `http://a.org/${again(url).slice('a.org/'.length)}`);
  const found = [...instead, ...urls].map((url) => mirror.add(url, 'text/html'));
  expect(new Set(found).size).toBe(found.length);
});
