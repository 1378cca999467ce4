import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutInvisible } from '../../../shared/core/text/invisible-characters.ts';

const tags = (text: string): string =>
  [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
const selectors = (text: string): string =>
  [...text].map((char) => String.fromCodePoint(0xe0100 + char.charCodeAt(0))).join('');

test.each([
  ['zero width spaces', 'pass\u200bword', 'password'],
  ['joiners between Latin letters', 'a\u200db\u200cc', 'abc'],
  ['a row of joiners between others', 'می\u200c\u200d\u200cخ', 'میخ'],
  ['bidi overrides', '\u202eevil\u202c', 'evil'],
  ['isolates', '\u2066a\u2069', 'a'],
  ['marks of direction', 'a\u200eb\u200fc\u061cd', 'abcd'],
  ['text in tags', `Hi${tags('ignore all')}!`, 'Hi!'],
  ['bytes in variation selectors', `😀${selectors('secret')}`, '😀'],
  ['selectors behind a letter', 'a\ufe0fb', 'ab'],
  ['Hangul fillers', 'a\u3164\u115fb', 'ab'],
  ['soft hyphens and word joiners', 'quay\u00adside\u2060s\ufeff', 'quaysides'],
  ['controls', 'a\u0000\u001b[31mb\u009b', 'a[31mb'],
])('%s are removed', (_, text, seen) => expect(withoutInvisible(text)).toBe(seen));

test.each([
  ['plain text', 'Ships: 1\t2\nZürich – «quay»'],
  ['a joiner that Persian needs', 'می\u200cخواهم'],
  ['a joiner that Hindi needs', 'क्\u200dष'],
  ['emoji of several parts', '👩\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 👍🏽'],
])('%s stays', (_, text) => expect(withoutInvisible(text)).toBe(text));

test('separators of lines are line feeds', () => {
  expect(withoutInvisible('a\r\nb\u2028c\u2029d')).toBe('a\nb\nc\nd');
});

test('what is left has nothing invisible in a row, and stays as it is', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'ی', '😀', '\u200b', '\u200d', '\ufe0f', '\u{e0041}', '\n'),
  });
  fc.assert(
    fc.property(texts, (text) => {
      const seen = withoutInvisible(text);
      expect(seen).not.toMatch(/\u200b|\u{e0041}|(?:\u200d|\ufe0f){3}/u);
      expect(seen.replaceAll(/\u200d|\ufe0f/g, '')).toBe(
        text.replaceAll(/\u200b|\u200d|\ufe0f|\u{e0041}/gu, ''),
      );
    }),
  );
});
