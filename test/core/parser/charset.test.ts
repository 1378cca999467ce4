import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { charsetSniffing, sniffCharset, UNDECLARED_BYTES } from '../../../shared/core/parser/charset.ts';
import { charsetOf, createCharsetDecoder, decodeAll } from '../../../shared/core/parser/charset-decoder.ts';
import { createTextDecoder } from '../../../shared/core/parser/text-decoder.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['shift_jis', ['cp932', 'x-ms-cp932', 'SJIS-win']],
  ['euc-jp', ['EUC_JP', 'eucJP-ms', 'cp51932']],
  ['big5', ['Big5HKSCS', 'big-5', 'cp950', 'ms950', 'x-big5']],
  ['gbk', ['gb-2312', 'cp936', 'Windows-936', 'x-euc-cn']],
  ['euc-kr', ['cp949', 'KS_C_5601', 'UHC', 'euckr']],
  ['windows-1251', ['win-1251', 'windows1251', 'WINDOWS_1251', '1251']],
  ['koi8-r', ['koi8r', 'x-koi8-r']],
  ['iso-8859-2', ['8859-2', 'iso 8859-2']],
  [undefined, ['cp437', '8859-99', 'en', 'x', '', 'utf-7', '1'.repeat(100)]],
])('labels that browsers do not know, of %s', (charset, labels) => {
  for (const label of labels) expect(charsetOf(label), label).toBe(charset);
});

describe('sniffCharset', () => {
  test.each([
    ['a byte order mark beats the header', '\xef\xbb\xbf<p>', 'text/html; charset=koi8-r', 'utf-8'],
    ['the header beats the markup', '<meta charset=koi8-r>', 'text/html; charset="GBK"', 'gbk'],
    [
      'an unknown label in the header is passed over',
      '<meta charset=koi8-r>',
      'text/html; charset=best',
      'koi8-r',
    ],
    ['a header may say x-user-defined', '', 'text/html; charset=x-user-defined', 'x-user-defined'],
    [
      'markup that says x-user-defined means windows-1252',
      '<meta charset=x-user-defined>',
      undefined,
      'windows-1252',
    ],
    ['markup that says utf-16 means utf-8', '<meta charset=utf-16>', undefined, 'utf-8'],
    ["an attacker's encoding is replaced", '', 'text/html; charset=iso-2022-kr', 'replacement'],
    ['an XML declaration counts', '<?xml version="1.0" encoding="koi8-r"?>', undefined, 'koi8-r'],
    [
      'UTF-8 of a header that the bytes are not in',
      `<meta charset=gbk>${'\xd6\xd0'.repeat(5)}`,
      'text/html; charset=utf-8',
      'gbk',
    ],
    [
      'UTF-8 of a meta that the bytes are not in',
      `<meta charset=utf-8>${'caf\xe9. '.repeat(5)}`,
      undefined,
      'windows-1252',
    ],
    ['a broken character of a short text', '<meta charset=utf-8>caf\xe9.', undefined, 'utf-8'],
    [
      'a few broken characters',
      '<meta charset=gbk>\xc3\xa9\xc3\xa9\xe9',
      'text/html; charset=utf-8',
      'utf-8',
    ],
    [
      'a header of a server that knows one charset',
      '<meta charset=utf-8>caf\xc3\xa9',
      'text/html; charset=iso-8859-1',
      'utf-8',
    ],
    ['the same without a meta', 'caf\xc3\xa9', 'text/html; charset=iso-8859-1', 'windows-1252'],
    [
      'the same of bytes that are not UTF-8',
      '<meta charset=utf-8>caf\xe9.',
      'text/html; charset=iso-8859-2',
      'iso-8859-2',
    ],
    [
      'UTF-16 of a header without any zero',
      `<p>${'caf\xc3\xa9 '.repeat(5)}`,
      'text/html; charset=unicode',
      'utf-8',
    ],
    ['undeclared UTF-16', '\n\0<\0h\0t\0m\0l\0>\0', undefined, 'utf-16le'],
    ['undeclared UTF-16, the other way', '\0<\0!\0D\0O\0C', undefined, 'utf-16be'],
    ['a meta beats an XML declaration', '<?xml encoding="gbk"?><meta charset=koi8-r>', undefined, 'koi8-r'],
    ['an XML declaration in UTF-16', '<\0?\0x\0m\0l\0', undefined, 'utf-16le'],
    [
      'a meta in a comment is none',
      '<!--><!-- <meta charset=gbk> --><meta charset=koi8-r>',
      undefined,
      'koi8-r',
    ],
    ['a meta in an attribute is none', '<p title="<meta charset=gbk>">', undefined, 'windows-1252'],
    ['undeclared UTF-8 is recognised', 'caf\xc3\xa9', undefined, 'utf-8'],
    ['undeclared other bytes are windows-1252', 'caf\xe9', undefined, 'windows-1252'],
    ['long ASCII may well continue in UTF-8', 'x'.repeat(UNDECLARED_BYTES), undefined, 'utf-8'],
    ['the window may cut a character', `${'x'.repeat(UNDECLARED_BYTES - 1)}\xc3\xa9`, undefined, 'utf-8'],
    ['ASCII of 17 KB, then Latin-1', `${'x'.repeat(17_000)}caf\xe9`, undefined, 'windows-1252'],
    ['ASCII of 17 KB, then UTF-8', `${'x'.repeat(17_000)}caf\xc3\xa9`, undefined, 'utf-8'],
    [
      'a declaration behind 20 KB of style',
      `<style>${'a{} '.repeat(5000)}</style><meta charset=gbk>\xe9`,
      undefined,
      'gbk',
    ],
    ['a declaration behind text', `<p>caf\xe9${'x'.repeat(20_000)}<meta charset=gbk>`, undefined, 'gbk'],
    [
      'a script that is no declaration',
      `${' '.repeat(1024)}<script>"<meta charset=gbk>"</script><p>caf\xe9`,
      undefined,
      'windows-1252',
    ],
    ['the escape sequences of ISO-2022-JP', '<p>\x1b$B$3$s\x1b(B', undefined, 'iso-2022-jp'],
    ['UTF-8 with a broken character', `${'\xc3\xa9'.repeat(30)}\xe9 x`, undefined, 'utf-8'],
    ['some UTF-8 among Latin-1', `${'\xc3\xa9'.repeat(3)}${'\xe9 '.repeat(9)}`, undefined, 'windows-1252'],
  ])('%s', (_, start, contentType, charset) => {
    expect(sniffCharset(latin1(start), contentType)).toBe(charset);
  });

  test('any bytes have an encoding that can be decoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const charset = sniffCharset(Buffer.concat([latin1('<meta charset='), bytes]), undefined);
        expect(() => createCharsetDecoder(charset).decode(bytes)).not.toThrow();
      }),
    );
  });
});

describe('a document in pieces', () => {
  test.each([
    ['declared late', `<style>${'a{} '.repeat(5000)}</style><meta charset=koi8-r>\xd6`],
    ['undeclared', `${'x'.repeat(17_000)}caf\xe9`],
    ['short', 'caf\xc3\xa9'],
    ['long', `${'x'.repeat(UNDECLARED_BYTES + 100)}caf\xe9`],
    ['cut in a character', `${'x'.repeat(UNDECLARED_BYTES - 1)}\xc3\xa9`],
  ])('%s is read as the whole is', (_, text) => {
    const bytes = latin1(text);
    const charset = sniffCharset(bytes, undefined);
    for (const step of [997, 16_384, 100_000, bytes.length]) {
      const pieces: string[] = [];
      const decoder = createTextDecoder({
        ...charsetSniffing(undefined),
        onText: (piece) => pieces.push(piece),
      });
      for (let at = 0; at < bytes.length; at += step) decoder.write(bytes.subarray(at, at + step));
      expect(decoder.end()).toBe(charset);
      expect(pieces.join('') === decodeAll(bytes, charset)).toBe(true);
    }
  });
});

describe('charsetOf', () => {
  test.each([
    ['latin1', 'windows-1252'],
    [' UTF8\n', 'utf-8'],
    ['csISO2022KR', 'replacement'],
    ['utf-16', 'utf-16le'],
    ['utf-7', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %s', (label, charset) => {
    expect(charsetOf(label)).toBe(charset);
  });
});

describe('createCharsetDecoder', () => {
  test('replacement gives one U+FFFD for any bytes', () => {
    const decoder = createCharsetDecoder('replacement');
    expect(
      decoder.decode(latin1('')) + decoder.decode(latin1('<a')) + decoder.decode(latin1('>')) + decoder.end(),
    ).toBe('\ufffd');
  });

  test('pieces make the same text as the whole', () => {
    const charsets = [
      'utf-8',
      'utf-16le',
      'shift_jis',
      'gb18030',
      'euc-kr',
      'big5',
      'iso-2022-jp',
      'x-user-defined',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...charsets),
        fc.array(fc.uint8Array({ maxLength: 9 })),
        (charset, pieces) => {
          const whole = createCharsetDecoder(charset);
          const expected = whole.decode(Buffer.concat(pieces)) + whole.end();
          const decoder = createCharsetDecoder(charset);
          expect(pieces.map((piece) => decoder.decode(piece)).join('') + decoder.end()).toBe(expected);
        },
      ),
    );
  });

  test.each(['gb18030', 'gbk', 'euc-jp', 'iso-2022-jp', 'big5', 'shift_jis', 'euc-kr'])(
    'malformed %s in pieces of one byte throws nothing',
    (charset) => {
      // Bytes of all kinds, and digits among them, with which characters of four bytes continue.
      const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0x30, max: 0x39 }));
      fc.assert(
        fc.property(fc.array(byte, { minLength: 1, maxLength: 30 }), (bytes) => {
          const whole = createCharsetDecoder(charset);
          const expected = whole.decode(Uint8Array.from(bytes)) + whole.end();
          const decoder = createCharsetDecoder(charset);
          const text = bytes.map((one) => decoder.decode(Uint8Array.of(one))).join('');
          expect(text + decoder.end()).toBe(expected);
        }),
        { numRuns: 2000 },
      );
    },
  );
});

describe('Big5', () => {
  test.each([
    ['Big5', 'a4a4f9d5', '中龘'],
    ['Hong Kong', '9df69df8fb48cbdd925d91c1', '喺啲嘅咁哋嚟'],
    ['a character beyond the BMP', '9bd0', '𠝹'],
    ['ETEN', 'c6e8c755c85cc6a1', 'あのж①'],
    ['pointers of two characters', '886288a5', 'Ê̄ê̌'],
    ['a fault keeps the ASCII behind it', 'a440f030813c8041', '一\ufffd0\ufffd<\ufffdA'],
    ['a cut character', '41a4', 'A\ufffd'],
  ])('%s, in any pieces', (_, hex, text) => {
    const bytes = [...Buffer.from(hex, 'hex')];
    const whole = createCharsetDecoder('big5');
    expect(whole.decode(Uint8Array.from(bytes)) + whole.end()).toBe(text);
    const cut = createCharsetDecoder('big5');
    expect(bytes.map((byte) => cut.decode(Uint8Array.of(byte))).join('') + cut.end()).toBe(text);
  });

  test('has the 18,594 sequences of the Encoding standard', () => {
    const all = createHash('sha256');
    let count = 0;
    for (let lead = 0x81; lead <= 0xfe; lead++)
      for (let trail = 0x40; trail <= 0xfe; trail++) {
        if (trail > 0x7e && trail < 0xa1) continue;
        const text = decodeAll(Uint8Array.of(lead, trail), 'big5');
        if (text.includes('\ufffd')) continue;
        count++;
        all.update(`${lead.toString(16)}${trail.toString(16)} ${text}\n`);
      }
    // As an implementation of others has them.
    expect([count, all.digest('hex')]).toEqual([
      18_594,
      'fb25c838ac48ed5f1afa49791b8de9e3285433bd33a5af3b403bbdf433fd5d25',
    ]);
  });
});

describe('EUC-KR', () => {
  test.each([
    ['code page 949', [0x94, 0xee, 0x81, 0x41, 0xc6, 0x52, 0xa2, 0xe6], '뷁갂힣€'],
    ['KS X 1001', [0xb0, 0xa1, 0xfd, 0xfe], '가詰'],
    ['a fault keeps the ASCII behind it', [0xc6, 0x53, 0x81, 0x3c, 0x80, 0x41], '\ufffdS\ufffd<\ufffdA'],
    ['a cut character', [0x41, 0xb0], 'A\ufffd'],
  ])('%s, in any pieces', (_, bytes, text) => {
    const whole = createCharsetDecoder('euc-kr');
    expect(whole.decode(Uint8Array.from(bytes)) + whole.end()).toBe(text);
    const cut = createCharsetDecoder('euc-kr');
    expect(bytes.map((byte) => cut.decode(Uint8Array.of(byte))).join('') + cut.end()).toBe(text);
  });
});
