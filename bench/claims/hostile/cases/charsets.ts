/** Documents in every encoding, in wrong ones, and in those that no browser reads. */
import { asked, kept, neverAsked } from '../checks.ts';
import type { HostileCase } from '../hostile-case.ts';
import { MB, pageWith, replyCase, response, type Text } from '../replies.ts';

const charset = (name: string, type: string, body: Text, checks = [kept(), asked('/first')]): HostileCase =>
  replyCase(`charset: ${name}`, checks, () => response({ type, body }), { isQuick: true });

/** Encodings of the Encoding Standard, one label each. */
const LABELS = [
  ...['utf-8', 'ibm866', 'iso-8859-2', 'iso-8859-7', 'iso-8859-8-i', 'iso-8859-15', 'koi8-r', 'koi8-u'],
  ...['macintosh', 'windows-874', 'windows-1251', 'windows-1252', 'windows-1258', 'x-mac-cyrillic', 'gbk'],
  ...['gb18030', 'big5', 'euc-jp', 'iso-2022-jp', 'shift_jis', 'euc-kr', 'x-user-defined'],
];

const PAGE = pageWith('<p>text</p>').toString();
const utf16 = (text: string, isBigEndian = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBigEndian ? bytes.swap16() : bytes;
};
const utf32 = (text: string): Buffer =>
  Buffer.concat([...text].map((letter) => Buffer.from([letter.codePointAt(0)! & 255, 0, 0, 0])));

export const CHARSET_CASES: readonly HostileCase[] = [
  ...LABELS.map((label) =>
    charset(
      `${label} with every octet`,
      `text/html; charset=${label}`,
      pageWith(`<p>${Buffer.from(Array.from({ length: 255 }, (_, i) => i + 1)).toString('latin1')}</p>`),
      [kept(), asked('/first')],
    ),
  ),
  charset('UTF-16LE with a mark', 'text/html', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16(PAGE)])),
  charset('UTF-16BE with a mark', 'text/html', Buffer.concat([Buffer.from([0xfe, 0xff]), utf16(PAGE, true)])),
  charset('UTF-16LE by its header', 'text/html; charset=utf-16le', utf16(PAGE)),
  charset(
    'UTF-16BE, an odd number of octets',
    'text/html; charset=utf-16be',
    utf16(PAGE, true).subarray(0, -1),
  ),
  charset(
    'UTF-16 with lone surrogates',
    'text/html; charset=utf-16le',
    utf16(pageWith('\ud800\udc00\ud800'.repeat(50)).toString()),
  ),
  charset('UTF-16 said, UTF-8 sent', 'text/html; charset=utf-16', PAGE, [kept()]),
  charset('UTF-8 said, UTF-16 sent, without a mark', 'text/html; charset=utf-8', utf16(PAGE), [kept()]),
  charset(
    'UTF-32 with a mark',
    'text/html; charset=utf-32',
    Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32(PAGE)]),
    [kept()],
  ),
  charset('UTF-7 is not read', 'text/html; charset=utf-7', pageWith('+ADw-a href=/hidden+AD4-'), [
    kept(),
    asked('/first'),
    neverAsked('/hidden'),
  ]),
  charset('EBCDIC', 'text/html; charset=cp037', Buffer.from('4c8193a5', 'hex'), [kept()]),
  charset('ISO-2022-KR is replaced', 'text/html; charset=iso-2022-kr', PAGE, [kept()]),
  charset('an unknown label', 'text/html; charset=no-such-thing', PAGE),
  charset('a label of 4 KB', `text/html; charset="${'x'.repeat(4096)}"`, PAGE),
  charset('three labels', 'text/html; charset=utf-8; charset=utf-16; charset=koi8-r', PAGE),
  charset('a mark against the header', 'text/html; charset=windows-1251', `\ufeff${PAGE}`),
  charset('two marks', 'text/html', `\ufeff\ufeff${PAGE}`),
  charset('a mark alone', 'text/html', '\ufeff', [kept()]),
  charset(
    'overlong and broken UTF-8',
    'text/html; charset=utf-8',
    pageWith(Buffer.from([0xc0, 0x80, 0xe0, 0x80, 0xaf, 0xf8, 0xff, 0xed, 0xa0, 0x80, 0xf4, 0x90])),
  ),
  charset(
    'UTF-8 that is cut within a character',
    'text/html; charset=utf-8',
    Buffer.concat([Buffer.from(PAGE), Buffer.from([0xe2, 0x82])]),
  ),
  charset(
    'ISO-2022-JP, escapes without an end',
    'text/html; charset=iso-2022-jp',
    pageWith('\x1b$B\x1b(B\x1b$B'),
  ),
  replyCase('charset: 4 MB of GB18030 four-octet sequences', [kept(), asked('/first')], () =>
    response({ type: 'text/html; charset=gb18030', body: pageWith(Buffer.alloc(4 * MB, '81308130', 'hex')) }),
  ),
];
