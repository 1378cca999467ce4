/** Bodies as bytes: their charset, and the codings that they are sent in. */
import assert from 'node:assert/strict';
import zlib from 'node:zlib';
import { sniffCharset, sniffCssCharset, sniffXmlCharset } from '../../../shared/core/parser/charset.ts';
import { createCharsetDecoder } from '../../../shared/core/parser/charset-decoder.ts';
import { createContentDecoder } from '../../../shared/core/parser/content-decoder.ts';
import { decodeBody } from '../../../shared/core/parser/decode-body.ts';
import {
  charsetParameter,
  essenceOf,
  isBinary,
  sniffMimeType,
} from '../../../shared/core/parser/media-type.ts';
import { encodeQuery } from '../../../shared/core/parser/query-charset.ts';
import { type FuzzTarget, MB } from '../target.ts';

const CHARSETS = [
  'utf-8',
  'windows-1252',
  'shift_jis',
  'euc-jp',
  'iso-2022-jp',
  'gb18030',
  'big5',
  'euc-kr',
  'utf-16le',
  'utf-16be',
];
const BYTES = [
  ...[
    '\xff\xfe',
    '\xfe\xff',
    '\xef\xbb\xbf',
    '\x1b$B',
    '\x1b(B',
    '\x1b',
    '\x81',
    '\x81\x30\x81\x30',
    '\xe3\x81',
    '\xf0\x9f\x98\x80',
  ],
  ...[
    '\xc3\xbc',
    '\xa4\xa2',
    '\x00',
    '\x00<',
    '<\x00',
    '\xd8\x00',
    '\x80',
    '\xff',
    '~',
    '\\',
    '\xfd',
    '\xed\xa0\x80',
    'text',
  ],
  ...[
    '<meta charset="',
    '<meta http-equiv="content-type" content="text/html; charset=',
    'utf-8',
    'shift_jis',
    'utf-16',
    '">',
  ],
  ...[
    '<meta ',
    '<!--',
    '-->',
    '<a ',
    '</a',
    '<?',
    '>',
    ' charset',
    ' = ',
    "'",
    '<?xml encoding="',
    '@charset "',
    '";',
    'x-user-defined',
  ],
];

/** All bytes, decoded in pieces of `step`. */
function decoded(charset: string, body: Buffer, step: number): string {
  const decoder = createCharsetDecoder(charset);
  let result = '';
  for (let at = 0; at < body.length; at += step) result += decoder.decode(body.subarray(at, at + step));
  return result + decoder.end();
}

async function undone(body: Buffer, contentEncoding: string, step = body.length, maxDecodedBytes = 4 * MB) {
  const pieces: Buffer[] = [];
  const decoder = createContentDecoder({
    contentEncoding,
    maxDecodedBytes,
    onData: (chunk) => pieces.push(Buffer.from(chunk)),
  });
  for (let at = 0; at < body.length; at += Math.max(1, step)) decoder.write(body.subarray(at, at + step));
  const outcome = await decoder.end();
  decoder.free();
  return { ...outcome, bytes: Buffer.concat(pieces) };
}

const ENCODERS = {
  gzip: (bytes: Buffer) => zlib.gzipSync(bytes, { level: 1 }),
  deflate: (bytes: Buffer) => zlib.deflateSync(bytes, { level: 1 }),
  br: (bytes: Buffer) =>
    zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes: Buffer) => zlib.zstdCompressSync(bytes),
};
type Coding = keyof typeof ENCODERS;

/** Bytes behind the data: sums, which no reader needs. */
const SUM_BYTES: Readonly<Record<Coding, number>> = { gzip: 8, deflate: 4, br: 0, zstd: 0 };

/** A content that was really compressed, to be undone as a whole, in pieces, cut, and with a byte changed. */
const coding = (name: Coding): FuzzTarget => ({
  name,
  tokens: BYTES,
  encoding: 'latin1',
  maxBytes: MB,
  maxUsPerByte: 0.3,
  maxHeldPerByte: 8,
  prepare: ENCODERS[name],
  run: (body) => undone(body, name),
  async check(body, document) {
    const whole = await undone(body, name);
    assert.ok(whole.isWhole && whole.bytes.equals(document), 'it is not what was compressed');
    const cut = await undone(body, name, 3);
    assert.deepEqual([cut.isWhole, cut.bytes], [true, document], 'pieces');
    if (document.length < 20) return;
    const short = await undone(body.subarray(0, body.length - SUM_BYTES[name] - 1), name);
    // Brotli has no signature: a short truncated one may look like text, and is reported as text.
    assert.ok(!short.isWhole || short.error !== undefined, 'a body that was cut is called whole');
    const summed = await undone(body.subarray(0, body.length - 1), name);
    assert.ok(SUM_BYTES[name] === 0 || summed.bytes.equals(document), 'a cut sum costs content');
    const bound = await undone(body, name, body.length, 10);
    assert.ok(bound.bytes.length <= 10 && !bound.isWhole, 'more than was requested');
    // Changed bytes are not detected: only the size is bounded. Those of a sum lose nothing.
    const damaged = Buffer.from(body);
    const at = document[0]! % damaged.length;
    damaged[at] = damaged[at]! ^ (1 << (document[1]! % 8));
    const found = await undone(damaged, name);
    if (name === 'gzip' && at >= damaged.length - 8)
      assert.deepEqual([found.isWhole, found.bytes], [true, document], 'a wrong sum costs content');
  },
});

/** Bytes that no compressor made. */
const garbage = (name: Coding, start: string): FuzzTarget => ({
  name: `${name}, not compressed`,
  tokens: [start, ...BYTES],
  encoding: 'latin1',
  maxBytes: MB,
  // Garbage may represent much more: as much as is let through, 128 KB. 1.7 measured on a busy machine.
  maxUsPerByte: 4,
  maxHeldPerByte: 64,
  prepare: (document) => Buffer.concat([Buffer.from(start, 'latin1'), document]),
  run: (body) => undone(body, name, body.length, 128 * 1024),
  async check(body) {
    const { isWhole: _, error: __, ...whole } = await undone(body, name);
    const { isWhole: ___, error: ____, ...cut } = await undone(body, name, 5);
    assert.deepEqual(cut, whole);
    try {
      decodeBody(body, name, MB);
    } catch (error) {
      assert.match(String(error), /The body (cannot be decoded|has more than)/);
    }
  },
});

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'charset sniffing',
    tokens: BYTES,
    frames: [
      ['<meta ', '>'],
      ['<meta charset="', '">'],
      ['<meta content="', '">'],
      ['<!--', '-->'],
      ['<?xml ', '?>'],
      ['@charset "', '";'],
      ['<a ', '>'],
    ],
    encoding: 'latin1',
    // As much as is looked at.
    maxBytes: 64 * 1024,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 8,
    run: (body) => [
      sniffCharset(body, undefined),
      sniffXmlCharset(body, undefined),
      sniffCssCharset(body, undefined),
      sniffMimeType(body),
      isBinary(body),
    ],
  },
  {
    name: 'charsets',
    tokens: BYTES,
    encoding: 'latin1',
    maxBytes: 256 * 1024,
    // The cost of ten decoders together.
    maxUsPerByte: 1,
    maxHeldPerByte: 64,
    run: (body) => CHARSETS.map((charset) => decoded(charset, body, 16 * 1024)),
  },
  {
    name: 'queries in charsets',
    tokens: BYTES,
    encoding: 'latin1',
    // As long as references may be.
    maxBytes: 16_000,
    // The cost of ten encoders together.
    maxUsPerByte: 8,
    maxHeldPerByte: 256,
    run: (body) => {
      const reference = `?${Buffer.from(body).toString()}`;
      return CHARSETS.map((charset) => encodeQuery(reference, charset));
    },
    check(body) {
      for (const charset of CHARSETS)
        assert.equal(decoded(charset, body, 1), decoded(charset, body, 4096), `${charset}, cut`);
    },
  },
  {
    name: 'content type',
    tokens: [
      'text/html',
      ';',
      ' charset=',
      '"',
      '\\',
      'utf-8',
      ',',
      '/',
      'application/xhtml+xml',
      'charset',
      "'",
      'a=b',
    ],
    maxBytes: 64 * 1024,
    maxUsPerByte: 0.3,
    maxHeldPerByte: 16,
    run: (input) => [essenceOf(input.toString()), charsetParameter(input.toString())],
  },
  ...(['gzip', 'deflate', 'br', 'zstd'] as const).map(coding),
  garbage('gzip', '\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03'),
  garbage('deflate', '\x78\x9c'),
  garbage('br', '\x0b'),
  garbage('zstd', '\x28\xb5\x2f\xfd'),
];
