import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCharsetDecoder } from '../../../shared/core/parser/charset-decoder.ts';
import { encodeQuery } from '../../../shared/core/parser/query-charset.ts';

/** As Chromium gives them for `a.search`. */
const AS_BROWSERS: readonly (readonly [charset: string, reference: string, encoded: string])[] = [
  ['windows-1251', '?q=ж', '?q=%E6'],
  ['koi8-r', '?q=ж', '?q=%D6'],
  ['ibm866', '?q=ж', '?q=%A6'],
  ['x-mac-cyrillic', '?q=ж', '?q=%E6'],
  ['windows-1252', '?q=é€', '?q=%E9%80'],
  ['iso-8859-15', '?q=é€', '?q=%E9%A4'],
  ['iso-8859-2', '?q=ł', '?q=%B3'],
  ['windows-1250', '?q=ź', '?q=%9F'],
  ['windows-1256', '?q=ش', '?q=%D4'],
  ['windows-874', '?q=ก', '?q=%A1'],
  ['x-user-defined', '?q=\uf7e6', '?q=%E6'],
  ['shift_jis', '?q=日本', '?q=%93%FA%96{'],
  ['shift_jis', '?q=表ｱ¥‾\u0080−', '?q=%95\\%B1\\~%80%81|'],
  ['shift_jis', '?q=纊', '?q=%FA\\'],
  ['euc-jp', '?q=日ｱ−', '?q=%C6%FC%8E%B1%A1%DD'],
  ['iso-2022-jp', '?q=日x~', '?q=%1B$BF|%1B(Bx~'],
  ['iso-2022-jp', '?q=ｱ¥a\\', '?q=%1B$B%%22%1B(J\\a%1B(B\\'],
  ['iso-2022-jp', '?q=И', '?q=%1B$B%27*%1B(B'],
  ['gbk', '?q=中€', '?q=%D6%D0%80'],
  ['gb18030', '?q=中€', '?q=%D6%D0%A2%E3'],
  ['gb18030', '?q=é\u0101😀', '?q=%A8%A6%A8%A1%949%FC6'],
  ['gbk', '?q=😀', '?q=%26%23128512%3B'],
  ['gbk', '?q=\ue5e5', '?q=%26%2358853%3B'],
  ['big5', '?q=中功', '?q=%A4%A4%A5\\'],
  ['big5', '?q=十', '?q=%A4Q'],
  ['big5', '?q=╪', '?q=%F9%EA'],
  ['euc-kr', '?q=가', '?q=%B0%A1'],
  ['euc-kr', '?q=뷁€', '?q=%94%EE%A2%E6'],
  ['windows-1251', '?q=é', '?q=%26%23233%3B'],
  ['windows-1251', '?q=\ud800', '?q=%26%2365533%3B'],
  ['windows-1251', '/ж?ж#ж', '/ж?%E6#ж'],
  ['windows-1251', '/a#?ж', '/a#?ж'],
  ['windows-1251', '//ж.example/ж', '//ж.example/ж'],
  ['windows-1251', '?a=%e6&b=+ c', '?a=%e6&b=+ c'],
  ['utf-8', '?q=ж', '?q=ж'],
  ['utf-16le', '?q=ж', '?q=ж'],
  ['utf-16be', '?q=ж', '?q=ж'],
  ['replacement', '?q=ж', '?q=ж'],
];

describe('encodeQuery', () => {
  test.each(AS_BROWSERS)('%s: %s', (charset, reference, encoded) => {
    expect(encodeQuery(reference, charset)).toBe(encoded);
  });

  test('what an encoding has is what its decoder reads', () => {
    const charsets = AS_BROWSERS.map(([charset]) => charset).filter(
      (name) => !/^utf|^replacement/.test(name),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...charsets),
        fc.string({ unit: 'binary', maxLength: 20 }),
        (charset, text) => {
          const query = text.replace(/[^\x80-\u{10ffff}]|[¥‾−｡-ﾟ]/gu, '');
          const encoded = encodeQuery(`?${query}`, charset).slice(1);
          const bytes = encoded.replace(/%([\dA-F]{2})/g, (_, hex) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
          const decoder = createCharsetDecoder(charset);
          const read = decoder.decode(Buffer.from(bytes, 'latin1')) + decoder.end();
          expect(read.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))).toBe(query);
        },
      ),
    );
  });
});
