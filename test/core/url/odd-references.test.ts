import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize, createResolver } from '../../../shared/core/url/canonical.ts';

/** The parts of references that are not plain: space, letters beyond ASCII, octets, dots, the parts of a URL. */
const PIECES = [
  ...[
    '/',
    '//',
    '?',
    '#',
    '.',
    '..',
    './',
    '../',
    '/.',
    '@',
    '&',
    '\\',
    ':80',
    ':8080',
    'http://',
    '127.0.0.1',
    'ex.test',
  ],
  ...[
    'é',
    'é.test',
    '💩',
    '\ud800',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\ufeff',
    ' ',
    '\n',
    '\t',
    '\0',
    '\x1f',
    '\x7f',
  ],
  ...['%', '%C3%A9', '%c3%a9', '%2F', '%20', '%7E', '%41', '%E2%82', 'a', 'xn--a', "'", '"', 'q=1'],
];
const BASES = [
  'http://ex.test/dir/page?x=1',
  'http://127.0.0.1:8080/',
  'https://ex.test/%C3%A9/b',
  'https://ex.test/a/b//c/d?x=/e/',
];

test('a reference that is joined as text gives what the URL parser gives', () => {
  const reference = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.constantFrom(...BASES), reference, (base, written) => {
      expect(createResolver(base)(written)).toBe(canonicalize(written, base));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['/wiki/Café_(6)', 'http://ex.test/wiki/Caf%C3%A9_(6)'],
  ['/wiki/Caf%C3%A9_(6)', 'http://ex.test/wiki/Caf%C3%A9_(6)'],
  [' /old/4#part\n', 'http://ex.test/old/4'],
  ['\n', 'http://ex.test/dir/page?x=1'],
  ['/a #part', 'http://ex.test/a%20'],
  ['//é.test/', 'http://xn--9ca.test/'],
  ['../a.html', 'http://ex.test/a.html'],
  ['./a:b', 'http://ex.test/dir/a:b'],
  ['../../.././x?q', 'http://ex.test/x?q'],
  ['../', 'http://ex.test/'],
  ['..', 'http://ex.test/'],
])('%j is %s', (reference, url) => {
  expect(createResolver(BASES[0] as string)(reference)).toBe(url);
});
