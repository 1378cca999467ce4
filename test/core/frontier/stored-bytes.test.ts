/**
 * The bytes of parts and messages, which other versions of the program read: exact, and refused where they
 * are damaged.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  BLOCK_HEADER_BYTES,
  blockPayload,
  encodeBlocks,
  listBlocks,
  readBlockHeader,
} from '../../../shared/core/frontier/block-list.ts';
import { ByteReader, ByteWriter, CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { buildKeyRun, decodeKeyRun, encodeKeyRun, findKey } from '../../../shared/core/frontier/key-run.ts';
import { ListReader, type ReadPart } from '../../../shared/core/frontier/list-reader.ts';
import type { Message } from '../../../shared/core/frontier/message.ts';
import { decodeMessage, decodeOutLinks, encodeMessage } from '../../../shared/core/frontier/message-codec.ts';
import { decodeRecords, encodeRecords } from '../../../shared/core/frontier/record-block.ts';
import { startOf } from '../../../shared/core/frontier/run.ts';
import { openRunStack } from '../../../shared/core/frontier/run-stack.ts';
import { decodeSegment, encodeSegment } from '../../../shared/core/frontier/segment.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { WaitingQueue } from '../../../shared/core/frontier/waiting-queue.ts';

const HOST = 'h.test';
const NEVER = Number.POSITIVE_INFINITY;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const fromHex = (text: string): Uint8Array => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** A record with all that a record may have. */
const FULL: UrlRecord = {
  url: 'http://h.test/a',
  state: 'skipped',
  kind: 'sitemap',
  depth: 3,
  level: 5,
  via: 'http://v/',
  seenAt: 1_800_000_000_000,
  redirects: 2,
  attempts: 1,
  dueAt: 1_800_000_100_000,
  result: {
    fetchedAt: 1_800_000_000_500,
    httpStatus: 404,
    contentType: 't',
    digest: Uint8Array.from({ length: 20 }, (_, i) => i),
    location: { file: 'f', offset: 300, length: 7 },
    bodyBytes: 130,
    tookMs: 9,
    cause: { code: 'other', text: 'c' },
    duplicateOf: 'k',
  },
};
const PLAIN: UrlRecord = {
  ...{ url: 'https://h.test/b', state: 'waiting', depth: 1, level: 0, seenAt: FULL.seenAt },
  ...{ redirects: 0, attempts: 0, dueAt: 0 },
};

describe('the bytes of a record', () => {
  const BYTES = [
    '01 80a4a7da06', // one record; first seen, in seconds
    '00 02 2f61', // shares nothing; '/a'
    'f5 03 05 00', // flags; depth; level; seconds until it was seen
    '00 02 01 a0adf7c2b134', // via; redirects, attempts, due time
    '01', // a sitemap
    '3f 9403 e807', // what the result has; 404; 500 ms after
    '00 00 01', // content type; cause; canonical URL
    '00 d804 07', // file, offset, length
    '8301 0a', // size and time, one more each
    '000102030405060708090a0b0c0d0e0f10111213', // digest
    '01 00 09 687474703a2f2f762f', // one page that links
    '01 0166', // files
    '01 0174', // content types
    `02 1b ${hex(Buffer.from('{"code":"other","text":"c"}'))} 016b`, // causes, and canonical URLs
  ].join('');

  test('are exact, before compression', () => {
    expect(hex(inflateRawSync(encodeRecords(HOST, [FULL])))).toBe(BYTES.replaceAll(' ', ''));
    expect(decodeRecords(HOST, deflateRawSync(fromHex(BYTES)))).toEqual([FULL]);
  });

  test('are refused wherever they end too early', () => {
    const bytes = fromHex(BYTES);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeRecords(HOST, deflateRawSync(bytes.subarray(0, length))), `${length} bytes`).toThrow(
        CorruptBytes,
      );
  });

  test.each([
    ['a state that none has', 10, 0xf7, 'record 0 has the unknown state 7'],
    ['a kind that none has', 23, 2, 'a record has the unknown kind 2'],
    ['a type that is not in the table', 29, 1, 'a text at 1 expected, the table has 1'],
  ])('with %s are refused', (_, at, value, message) => {
    const bytes = Buffer.from(fromHex(BYTES));
    bytes[at] = value;
    expect(() => decodeRecords(HOST, deflateRawSync(bytes))).toThrow(message);
  });

  test('are not made of a URL of another host', () => {
    for (const url of ['http://other.test/a', 'http://h.test.evil/', 'http://h.test:81/', 'http://h.testa/'])
      expect(() => encodeRecords(HOST, [{ ...PLAIN, url }])).toThrow(
        `${url} is not a canonical URL of the host h.test`,
      );
  });

  test('hold times, pages and places as differences to the record before', () => {
    const records = [FULL, PLAIN, FULL, FULL].map((record, i) => ({
      ...record,
      url: `http://h.test/${i}`,
      seenAt: record.seenAt + 1000 * ((i * 7) % 5),
      via: ['http://z/', undefined, 'http://y/', 'http://z/'][i],
      ...(record.result && {
        result: {
          ...record.result,
          fetchedAt: FULL.seenAt - 1000 * i,
          location: { file: `f${i % 2}`, offset: 500 - 90 * i, length: i },
        },
      }),
    }));
    expect(decodeRecords(HOST, encodeRecords(HOST, records))).toEqual(records);
  });
});

test('a file of another kind is refused as a segment, and unknown versions are named', () => {
  const bytes = encodeSegment(HOST, [PLAIN]);
  const withHeader = (magic: number, version: number) => Uint8Array.of(magic, version, ...bytes.subarray(2));
  expect(hex(bytes.subarray(0, 2))).toBe('5301');
  expect(() => decodeSegment(HOST, withHeader(0x54, 1))).toThrow('not a segment');
  for (const version of [0, 2])
    expect(() => decodeSegment(HOST, withHeader(0x53, version))).toThrow(
      `segment version ${version}: this program knows version 1`,
    );
});

describe('numbers', () => {
  test('take a byte for every seven bits', () => {
    const out = new ByteWriter();
    for (const n of [0, 127, 128, 16_383, 16_384, Number.MAX_SAFE_INTEGER]) out.varint(n);
    expect(hex(out.bytes())).toBe('007f8001ff7f808001ffffffffffffff0f');
    const signed = new ByteWriter();
    for (const n of [0, -1, 1, -64, 64]) signed.signed(n);
    expect(hex(signed.bytes())).toBe('0001027f8001');
  });

  test('that no writer makes are refused, and so is what ends within one', () => {
    expect(() => new ByteReader(fromHex('ffffffffffffffffff01')).varint()).toThrow('is too long');
    expect(() => new ByteReader(fromHex('80')).varint()).toThrow('ends at byte 1, more was expected');
    expect(() => new ByteReader(fromHex('0102')).raw(3)).toThrow('3 bytes expected at byte 0, 2 there');
    const input = new ByteReader(fromHex('0102'));
    expect(hex(input.raw(2))).toBe('0102');
    expect(input.isAtEnd).toBe(true);
    expect(() => input.byte()).toThrow(CorruptBytes);
  });

  test('and texts find room in a writer that began with one byte', () => {
    const out = new ByteWriter(1);
    out.text('zwölf');
    out.latin1('xab', 1);
    out.raw(fromHex('0102'));
    out.byte(3);
    expect(hex(out.bytes())).toBe('067a77c3b66c66' + '6162' + '0102' + '03');
    expect(out.length).toBe(12);
    const input = new ByteReader(out.bytes());
    expect([input.text(), input.latin1(2), hex(input.raw(2)), input.byte()]).toEqual([
      'zwölf',
      'ab',
      '0102',
      3,
    ]);
  });
});

describe('a key run', () => {
  /** Two keys, and their notes under DEFLATE. */
  const HEAD = '4b010000 02000000 01000000 07000000 04030201 08000000';
  const run = buildKeyRun(Uint32Array.from([7, 8, 1, 0x01020304]), Uint8Array.from([0x9a, 3]), 2);
  const bytes = encodeKeyRun(run);

  test('keeps its bytes', () => {
    expect(hex(bytes.subarray(0, 24))).toBe(HEAD.replaceAll(' ', ''));
    expect(hex(inflateRawSync(bytes.subarray(24)))).toBe('039a');
  });

  test.each([0, 1, 2, 3])('is read from wherever it begins in memory: %i bytes in', (shift) => {
    const moved = new Uint8Array(bytes.length + shift);
    moved.set(bytes, shift);
    const decoded = decodeKeyRun(moved.subarray(shift));
    expect([findKey(decoded, 7, 8), findKey(decoded, 1, 0x01020304), findKey(decoded, 1, 8)]).toEqual([
      0x9a, 3, -1,
    ]);
  });

  const notes = (...list: number[]) => hex(deflateRawSync(Uint8Array.from(list)));
  test.each([
    ['another kind of part', `5303${HEAD.slice(4)}${notes(3, 4)}`, 'not a key run'],
    ['a part that ends within its header', '4b0100000200', 'not a key run'],
    [
      'a later version',
      `4b02${HEAD.slice(4)}${notes(3, 4)}`,
      'key run version 2: this program knows version 1',
    ],
    ['no version', `4b00${HEAD.slice(4)}${notes(3, 4)}`, 'key run version 0'],
    ['too few keys', HEAD.slice(0, -3), 'a key run is cut short'],
    ['too few notes', HEAD + notes(3), '1 notes for 2 keys'],
    ['too many notes', HEAD + notes(3, 4, 5), '3 notes for 2 keys'],
    ['far too many notes', HEAD + notes(3, 4, 5, 6), 'the notes of a key run cannot be decompressed'],
  ])('is not read from %s', (_, text, message) => {
    const read = () => decodeKeyRun(fromHex(text));
    expect(read).toThrow(CorruptBytes);
    expect(read).toThrow(message);
  });
});

describe('a list of blocks', () => {
  const records = [FULL, PLAIN, { ...PLAIN, url: 'https://h.test/c' }, { ...PLAIN, url: 'https://h.test/d' }];

  test('begins each block with its size, count, rank and due time', () => {
    const [first, ...others] = encodeBlocks(HOST, records, { blockRecords: 2 });
    const payload = first!.length - BLOCK_HEADER_BYTES;
    expect(hex(first!.subarray(0, BLOCK_HEADER_BYTES))).toBe(
      `${payload.toString(16).padStart(2, '0')}000000 0100 0e 00 64d2496b`.replaceAll(' ', ''),
    );
    expect(
      others.map((block) => readBlockHeader(block)).map(({ count, rank, dueAt }) => [count, rank, dueAt]),
    ).toEqual([
      [2, 11, 0],
      [1, 11, 0],
    ]);
  });

  test('of records of any rank has no rank, and full blocks', () => {
    const blocks = encodeBlocks(HOST, records, { blockRecords: 3, isMixed: true });
    expect(blocks.map((block) => readBlockHeader(block)).map(({ count, rank }) => [count, rank])).toEqual([
      [3, 0],
      [1, 0],
    ]);
  });

  test('is gone through block by block, from any of them on', () => {
    const list = Buffer.concat(encodeBlocks(HOST, records, { blockRecords: 2 }));
    const headers = listBlocks(list);
    expect(headers.map(({ count }) => count)).toEqual([1, 2, 1]);
    expect(listBlocks(list, headers[1]!.at)).toEqual(headers.slice(1));
    expect(listBlocks(list, list.length)).toEqual([]);
    expect(headers.flatMap((header) => decodeRecords(HOST, blockPayload(list, header)))).toEqual(records);
    // The same where only the list's end is at hand.
    const base = headers[1]!.at;
    const rest = list.subarray(base);
    expect(readBlockHeader(rest, 0, base)).toEqual(headers[1]);
    expect(decodeRecords(HOST, blockPayload(rest, headers[2]!, base))).toEqual(records.slice(3));
  });

  test('that is cut short is refused', () => {
    const [block] = encodeBlocks(HOST, records, { blockRecords: 2 }) as [Uint8Array];
    expect(() => listBlocks(block.subarray(0, BLOCK_HEADER_BYTES - 1))).toThrow('no block header at 0');
    expect(() => readBlockHeader(block.subarray(0, 3), 1, 40)).toThrow('no block header at 41');
    const header = readBlockHeader(block);
    expect(header.size).toBe(block.length);
    expect(() => blockPayload(block.subarray(0, -1), header)).toThrow('the block at 0 is cut short');
    expect(() => blockPayload(block, header)).not.toThrow();
  });

  test.each([1, 12, 13, 40, 10_000])(
    'is read record by record, %i bytes ahead, and not beyond its end',
    async (ahead) => {
      const list = Buffer.concat(encodeBlocks(HOST, records, { blockRecords: 2 }));
      const reads: [number, number][] = [];
      const read: ReadPart = async (name, offset = 0, length = 0) => {
        expect(name).toBe('r1.ready');
        reads.push([offset, length]);
        return list.subarray(offset, offset + length);
      };
      const reader = new ListReader(HOST, read, {
        name: 'r1.ready',
        start: startOf(list),
        readAheadBytes: ahead,
      });
      const taken: UrlRecord[] = [];
      const cursors: number[][] = [];
      while (reader.cursor.offset < reader.cursor.bytes) {
        taken.push(await reader.take());
        const { offset, skip, rank, dueAt } = reader.cursor;
        cursors.push([offset, skip, rank, dueAt]);
      }
      expect(taken).toEqual(records);
      const [, second, third] = listBlocks(list).map(({ at }) => at);
      expect(cursors).toEqual([
        [second, 0, 11, 0],
        [second, 1, 11, 0],
        [third, 0, 11, 0],
        [list.length, 0, 0, 0],
      ]);
      for (const [offset, length] of reads) expect(offset + length).toBeLessThanOrEqual(list.length);
      // A block is read once, or twice where it was larger than expected.
      expect(reads.length).toBeLessThanOrEqual(ahead === 10_000 ? 3 : 6);
      await expect(reader.take()).rejects.toThrow('r1.ready is read to its end');
    },
  );
});

test('nothing is taken where nothing was found', async () => {
  expect(() => new WaitingQueue(() => undefined).take()).toThrow('take() without firstRank()');
  const stack = await openRunStack(HOST, [], async () => new Uint8Array());
  expect([stack.firstRank(0), stack.nextDueAt(0), stack.nextDueAtRank(0, 0)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  await expect(stack.take(0)).rejects.toThrow('take() where firstRank() is undefined');
});

describe('a message', () => {
  const MESSAGES: readonly (readonly [Message, string])[] = [
    [
      {
        kind: 'links',
        crawl: 'c',
        links: [
          { url: 'http://a/', depth: 1 },
          {
            url: 'http://b/',
            depth: 2,
            via: 'http://v/',
            redirects: 3,
            isSeed: true,
            kind: 'sitemap',
            level: 6,
          },
        ],
      },
      [
        '4d0100 00 0163', // version 2, not compressed; links; crawl
        '02 0007 0902 687474703a2f2f612f 622f', // two URLs
        '000f 0102 0003', // flags, depths, redirects
        '00 01 09687474703a2f2f762f', // the page of the second
        '01 06', // kind, level
      ].join(''),
    ],
    [
      {
        kind: 'links',
        crawl: 'c',
        links: [
          {
            url: '/',
            depth: 1,
            via: '/v',
            redirects: undefined,
            isSeed: undefined,
            kind: undefined,
            level: undefined,
            linkers: 'AAAAAQ==',
          },
        ],
      },
      // Flags 18, the page, and the domains that link to the host.
      '4d0100 00 0163 01 00012f 12 01 00 00 01 022f76 084141414141513d3d',
    ],
    [{ kind: 'token', crawl: 'c', token: 't' }, '4d0100 01 0163 0174 00'],
    [{ kind: 'token', crawl: 'c', token: 't', caution: 2 }, '4d0100 01 0163 0174 02'],
    [{ kind: 'wake', crawl: 'c' }, '4d0100 02 0163 00'],
    [{ kind: 'wake', crawl: 'c', resume: 300 }, '4d0100 02 0163 ac02'],
    [{ kind: 'robots', crawl: 'c', url: 'u' }, '4d0100 03 0163 0175'],
  ];

  test.each(MESSAGES)('%j has these bytes, and is refused wherever they end too early', (message, text) => {
    const bytes = fromHex(text);
    expect(hex(encodeMessage(message, NEVER))).toBe(hex(bytes));
    expect(decodeMessage(bytes)).toEqual(message);
    for (let length = 0; length < bytes.length; length++)
      expect(() => decodeMessage(bytes.subarray(0, length)), `${length} bytes`).toThrow(CorruptBytes);
  });

  test('is compressed above a size, and says so', () => {
    const message: Message = { kind: 'token', crawl: 'c', token: 't' };
    expect(encodeMessage(message, 6)[2]).toBe(1);
    expect(encodeMessage(message, 7)[2]).toBe(0);
    const long = (characters: number): Message => ({ ...message, token: 'x'.repeat(characters) });
    // 6 bytes around a token of that length: a number of two bytes.
    expect(encodeMessage(long(193))[2]).toBe(0);
    expect(encodeMessage(long(194))[2]).toBe(1);
  });

  test.each([
    ['4c0200 01 0163 0174', 'not a message'],
    ['4d0200 01 0163 0174', 'message version 2: this program knows version 1'],
    ['4d0000 01 0163 0174', 'message version 0'],
    ['4d0100 04 0163 0174', 'a message of unknown kind'],
    ['4d0100 01 0163 0174 03', 'a token with the unknown caution 3'],
    ['4d0100 00 0163 01 00 01 2f 00 01 00 02 0161 0162', 'at most 1 pages expected, got 2'],
    ['4d0100 00 0163 01 00 01 2f 04 01 00 00 07', 'a link has the unknown kind 7'],
  ])('%s is refused', (text, reason) => {
    expect(() => decodeMessage(fromHex(text))).toThrow(CorruptBytes);
    expect(() => decodeMessage(fromHex(text))).toThrow(reason);
  });

  test('of another kind is no parcel of links', () => {
    const bytes = encodeMessage({ kind: 'token', crawl: 'c', token: 't' });
    expect(() => decodeOutLinks(bytes)).toThrow('links expected, a token came');
    expect(() =>
      decodeOutLinks(encodeMessage({ kind: 'links', crawl: 'c', links: [{ url: 'a', depth: 1 }] }), 0),
    ).toThrow('at most 0 links expected, got 1');
  });
});
