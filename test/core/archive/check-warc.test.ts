import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeCapture, encodeRevisit } from '../../../shared/core/archive/capture.ts';
import { createRecordIds } from '../../../shared/core/archive/check-ids.ts';
import {
  type CheckedWarc,
  createWarcCheck,
  type WarcFault,
} from '../../../shared/core/archive/check-warc.ts';
import { createDechunker } from '../../../shared/core/archive/dechunker.ts';
import { sha1Label } from '../../../shared/core/archive/digest.ts';
import { openRecord, openWhole } from '../../../shared/core/archive/read-member.ts';
import { NotWarc } from '../../../shared/core/archive/read-warc.ts';
import type { ReadAt } from '../../../shared/core/archive/scan-members.ts';
import { encodeWarcinfo } from '../../../shared/core/archive/warcinfo.ts';
import { windowedRead } from '../../../shared/core/archive/windowed-read.ts';
import { captureOf, joined, newId, RECORDS, T0 } from './captures.ts';

const readerOf =
  (file: Uint8Array): ReadAt =>
  async (offset, length) =>
    file.subarray(offset, offset + length);

async function check(...files: Uint8Array[]): Promise<{ checked: CheckedWarc[]; faults: WarcFault[] }> {
  const faults: WarcFault[] = [];
  const warc = createWarcCheck((fault) => faults.push(fault));
  const checked = [];
  for (const [i, file] of files.entries()) checked.push(await warc.file(`${i}.warc.gz`, readerOf(file)));
  warc.end();
  return { checked, faults };
}

const texts = (faults: readonly WarcFault[]) =>
  faults.map(({ offset, severity, message }) => `${offset} ${severity} ${message}`);

async function captureBytes(body: Uint8Array, headers: [string, string][] = []): Promise<Buffer> {
  const { members } = await encodeCapture(captureOf({ body, headers }), RECORDS);
  return Buffer.concat([await joined(members[0]), await joined(members[1])]);
}

const warcinfo = () =>
  joined(encodeWarcinfo({ id: newId(), filename: 'a.warc.gz', date: T0, software: 'test' }));

const sha1 = (text: string | Uint8Array) => sha1Label(createHash('sha1').update(text).digest());

const RESPONSE = {
  'WARC-Type': 'response',
  'WARC-Record-ID': '<urn:uuid:00000000-0000-4000-8000-00000000000a>',
  'WARC-Date': '2026-01-02T03:04:05Z',
  'WARC-Target-URI': 'http://example.test/',
  'Content-Type': 'application/http;msgtype=response',
};
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';

function withWrongCrc(bytes: number): Buffer {
  const member = record(RESPONSE, OK + 'x'.repeat(bytes));
  member.writeUInt32LE(1, member.length - 8);
  return member;
}

/** A record of any fields, right or wrong. */
function record(fields: Readonly<Record<string, string | undefined>>, block = OK, version = '1.1'): Buffer {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}\r\n`,
  );
  const length = Buffer.byteLength(block, 'latin1');
  const head = `WARC/${version}\r\n${lines.join('')}Content-Length: ${length}\r\n\r\n`;
  return gzipSync(Buffer.from(`${head}${block}\r\n\r\n`, 'latin1'));
}

test('what the archive writes has no faults: small and large, packed and stored bodies, revisits and metadata', async () => {
  const small = captureOf({ body: Buffer.from('hello') });
  const { members, payload } = await encodeCapture(small, RECORDS);
  const revisit = await encodeRevisit(small, payload, RECORDS);
  const parts = [
    await warcinfo(),
    ...(await Promise.all(members.map(joined))),
    await captureBytes(Buffer.alloc(700_000, 'large ')),
    await captureBytes(gzipSync('packed'), [['Content-Encoding', 'gzip']]),
    ...(await Promise.all(revisit.members.map(joined))),
  ];
  const { checked, faults } = await check(Buffer.concat(parts));
  expect(texts(faults)).toEqual([]);
  expect(checked[0]).toEqual({
    bytes: parts.reduce((sum, part) => sum + part.length, 0),
    records: { warcinfo: 1, response: 3, request: 4, revisit: 1 },
  });
});

describe('a record that breaks the standard is reported, with what was expected and what came', () => {
  const cases: [what: string, file: Buffer, expected: RegExp][] = [
    ['no id', record({ ...RESPONSE, 'WARC-Record-ID': undefined }), /expected WARC-Record-ID, got none/],
    ['no date', record({ ...RESPONSE, 'WARC-Date': undefined }), /expected WARC-Date, got none/],
    [
      'a date without its zone',
      record({ ...RESPONSE, 'WARC-Date': '2026-01-02 03:04:05' }),
      /WARC-Date: expected a UTC time/,
    ],
    [
      'a month that is none',
      record({ ...RESPONSE, 'WARC-Date': '2026-13-02T03:04:05Z' }),
      /WARC-Date: expected a UTC time/,
    ],
    [
      'a fraction of a second in 1.0',
      record({ ...RESPONSE, 'WARC-Date': '2026-01-02T03:04:05.1Z' }, OK, '1.0'),
      /WARC\/1.0/,
    ],
    [
      'no target',
      record({ ...RESPONSE, 'WARC-Target-URI': undefined }),
      /expected WARC-Target-URI in a response/,
    ],
    [
      'an id without brackets',
      record({ ...RESPONSE, 'WARC-Record-ID': 'urn:uuid:1' }),
      /WARC-Record-ID: expected a URI in <>/,
    ],
    ['a field twice', record({ ...RESPONSE, 'warc-date': '2026-01-02T03:04:05Z' }), /once/],
    [
      'a wrong block digest',
      record({ ...RESPONSE, 'WARC-Block-Digest': sha1('other') }),
      /WARC-Block-Digest: expected sha1:/,
    ],
    [
      'a wrong payload digest',
      record({ ...RESPONSE, 'WARC-Payload-Digest': sha1(OK) }),
      /WARC-Payload-Digest: expected sha1:/,
    ],
    ['half a digest', record({ ...RESPONSE, 'WARC-Block-Digest': 'sha1:ABC' }), /expected a whole digest/],
    [
      'another length',
      record(RESPONSE, OK.replace('5', '6')),
      /HTTP Content-Length: expected 5, the bytes stored, got "6"/,
    ],
    [
      'chunks that are none',
      record(RESPONSE, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello'),
      /Transfer-Encoding/,
    ],
    ['no HTTP', record(RESPONSE, 'hello\r\n\r\n'), /expected an HTTP status line, got "hello"/],
    ['no end of the head', record(RESPONSE, 'HTTP/1.1 200 OK\r\n'), /expected an empty line after/],
    [
      'a lonely record',
      record({ ...RESPONSE, 'WARC-Concurrent-To': '<urn:x:1>' }),
      /WARC-Concurrent-To: expected <urn:x:1> in the file/,
    ],
    [
      'a revisit of nothing known',
      record({ ...RESPONSE, 'WARC-Type': 'revisit' }),
      /expected WARC-Profile in a revisit/,
    ],
    [
      'an id twice',
      Buffer.concat([record(RESPONSE), record(RESPONSE)]),
      /WARC-Record-ID: expected one of its own/,
    ],
    ['nothing', Buffer.alloc(0), /expected at least one record/],
    ['no WARC', Buffer.from('hello, this is text'), /expected a gzip member/],
  ];
  test.each(cases)('%s', async (_, file, expected) => {
    const { faults } = await check(file);
    expect(faults.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    expect(texts(faults).join('\n')).toMatch(expected);
  });
});

test('chunked bodies of other writers are right by the digest of what is stored, and of what it means', async () => {
  const chunked = '5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nTrailer: x\r\n\r\n';
  const block = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`;
  for (const payload of [chunked, 'hello world'])
    expect(
      (await check(record({ ...RESPONSE, 'WARC-Payload-Digest': sha1(payload) }, block))).faults,
    ).toEqual([]);
});

test('a chunked body means the same however it is cut', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
  const sized = (chunk: Uint8Array) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  fc.assert(
    fc.property(fc.array(bytes), fc.integer({ min: 1, max: 9 }), (chunks, piece) => {
      const body = Buffer.concat([...chunks.map(sized), Buffer.from('0\r\n\r\n')]);
      const got: Uint8Array[] = [];
      const dechunker = createDechunker((data) => got.push(Buffer.from(data)));
      for (let at = 0; at < body.length; at += piece) dechunker.write(body.subarray(at, at + piece));
      expect(dechunker.isWhole()).toBe(true);
      expect(Buffer.concat(got)).toEqual(Buffer.concat(chunks));
    }),
  );
});

test('after a broken member the check continues with the next record', async () => {
  const [first, second, third] = [
    await warcinfo(),
    await captureBytes(Buffer.alloc(999, 'a')),
    record(RESPONSE),
  ];
  const file = Buffer.concat([first, second, third]);
  file[first.length + 200]! ^= 0xff;
  const { checked, faults } = await check(file);
  expect(checked[0]!.bytes).toBe(file.length);
  expect(checked[0]!.records).toMatchObject({ warcinfo: 1, response: 1 });
  expect(faults[0]).toMatchObject({ offset: first.length, severity: 'error' });
  expect(faults[0]!.message).toMatch(/the next record is at \d+$/);
});

/** The same record, not compressed. */
const plain = (member: Uint8Array): Buffer => gunzipSync(member);
const withId = (id: string) => ({ ...RESPONSE, 'WARC-Record-ID': `<urn:x:${id}>` });

test('a file that is not compressed is checked like any other', async () => {
  const large = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(3_000_000)}`;
  const wrong = record({ ...withId('wrong'), 'WARC-Block-Digest': sha1('other') });
  const parts = [await warcinfo(), record(RESPONSE), record(withId('large'), large), wrong].map(plain);
  const { checked, faults } = await check(Buffer.concat(parts));
  expect(checked[0]).toEqual({
    bytes: parts.reduce((sum, { length }) => sum + length, 0),
    records: { warcinfo: 1, response: 3 },
  });
  const last = parts[0]!.length + parts[1]!.length + parts[2]!.length;
  expect(texts(faults)).toEqual([expect.stringMatching(`^${last} error WARC-Block-Digest: expected sha1:`)]);
});

test('after a broken record that is not compressed the check continues with the next one', async () => {
  const [first, second, third] = ['1', '2', '3'].map((id) => plain(record(withId(id))));
  const broken = [
    [Buffer.from('?'), /expected a gzip member or a record, got 3f57/],
    [
      Buffer.from(second!.toString('latin1').replace(/Content-Length: \d+\r\n\r\nHTTP/, '\r\nHTTP')),
      /expected a Content-Length, got "none"/,
    ],
    [second!.subarray(0, -7), /expected CRLF CRLF after a block of \d+ bytes/],
    [
      Buffer.from(second!.toString('latin1').replace('WARC/1.1', 'WARC/0.18')),
      /expected WARC\/1.0 or WARC\/1.1/,
    ],
  ] as const;
  for (const [bytes, expected] of broken) {
    const { checked, faults } = await check(Buffer.concat([first!, bytes, third!]));
    expect(checked[0]!.records).toEqual({ response: 2 });
    expect(faults[0]).toMatchObject({ offset: first!.length, severity: 'error' });
    expect(faults[0]!.message).toMatch(expected);
    expect(faults[0]!.message).toMatch(new RegExp(`the next record is at ${first!.length + bytes.length}$`));
  }
});

test('the next record is found, too, if its member has an extra field in its header', async () => {
  const member = record(RESPONSE);
  const extra = Buffer.from([8, 0, ...Buffer.from('sl'), 4, 0, 1, 2, 3, 4]);
  const first = Buffer.concat([member.subarray(0, 3), Buffer.from([4]), member.subarray(4, 10), extra]);
  const made = Buffer.concat([first, member.subarray(10)]);
  const broken = Buffer.from(made);
  broken[broken.length - 6]! ^= 0xff;
  const { checked, faults } = await check(Buffer.concat([broken, made]));
  expect(checked[0]!.records).toEqual({ response: 1 });
  expect(texts(faults)).toEqual([
    `0 error its CRC or size is not that of its bytes; the next record is at ${made.length}`,
  ]);
});

test('a file full of what looks like the beginnings of members ends', async () => {
  const magic = Buffer.from([0x1f, 0x8b, 8, 0]);
  // The beginning is no longer a record; the last member is one.
  const beginnings = Buffer.concat([magic, Buffer.alloc(6), Buffer.from('not deflate')]);
  const junk = Buffer.concat([
    Buffer.alloc(400_000, magic),
    ...Array.from({ length: 1000 }, () => beginnings),
  ]);
  const last = record(RESPONSE);
  const { checked, faults } = await check(Buffer.concat([junk, last]));
  expect(faults[0]!.message).toMatch(new RegExp(`the next record is at ${junk.length}$`));
  expect(checked[0]!.records).toMatchObject({ response: 1 });
});

/** Members of stored blocks in one another, one each `unit` bytes: each begins with a record's head and reaches to the end of the file. */
function membersInOneAnother(bytes: number): Buffer {
  const head = Buffer.from('WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 99999999\r\n\r\n');
  const stored = (length: number) => {
    const block = Buffer.alloc(5);
    block.writeUInt16LE(length, 1);
    block.writeUInt16LE(length ^ 0xffff, 3);
    return block;
  };
  const start = gzipSync('').subarray(0, 10);
  const inner = Buffer.concat([start, stored(head.length), head]);
  const unit = Buffer.concat([stored(inner.length), inner]);
  const units = Buffer.concat(Array.from({ length: Math.ceil(bytes / unit.length) }, () => unit));
  return units.subarray(5);
}

test.each([
  ['members of stored blocks that lie in one another', membersInOneAnother(2 ** 22)],
  ['heads that never end', Buffer.concat(Array(2000).fill(gzipSync(`WARC/1.1\r\n${'x'.repeat(300_000)}`)))],
  ['members whose checksum is wrong', Buffer.concat(Array(4000).fill(withWrongCrc(2000)))],
])('a file of %s is read as often as its size allows, and what is left is said', async (_, file) => {
  let bytes = 0;
  const faults: WarcFault[] = [];
  const counted: ReadAt = async (offset, length) => {
    const piece = file.subarray(offset, offset + length);
    bytes += piece.length;
    return piece;
  };
  await createWarcCheck((fault) => faults.push(fault)).file('x.warc.gz', counted);
  expect(bytes).toBeLessThan(30 * file.length + 1_000_000_000);
  expect(faults.at(-1)?.message).toMatch(/the rest of the file is not checked|no other record/);
  expect(faults.length).toBeLessThan(5000);
});

test('a file cut anywhere has a fault, unless it is cut between records', async () => {
  const parts = [await warcinfo(), record(RESPONSE), record({ ...RESPONSE, 'WARC-Record-ID': '<urn:x:2>' })];
  const file = Buffer.concat(parts);
  const ends = [parts[0]!.length, parts[0]!.length + parts[1]!.length, file.length];
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: file.length }), async (length) => {
      const { faults } = await check(file.subarray(0, length));
      expect(faults.length > 0).toBe(!ends.includes(length));
    }),
    { numRuns: 60, examples: ends.map((end) => [end]) },
  );
});

test('a revisit may refer to a record of another file given; that it is in none is worth a warning', async () => {
  const capture = captureOf({ body: Buffer.from('hello') });
  const { members, payload } = await encodeCapture(capture, RECORDS);
  const revisit = await encodeRevisit(capture, payload, RECORDS);
  const original = Buffer.concat(await Promise.all(members.map(joined)));
  const later = Buffer.concat(await Promise.all(revisit.members.map(joined)));
  expect((await check(original, later)).faults).toEqual([]);
  expect((await check(later, original)).faults).toEqual([]);
  expect(texts((await check(later)).faults)).toEqual([
    `0 warning WARC-Refers-To: ${payload.recordId} is not in the files given`,
  ]);
});

test('a revisit may have no block, whatever type it names: warcio names that of HTTP', async () => {
  const revisit = {
    ...RESPONSE,
    'WARC-Type': 'revisit',
    'WARC-Profile': 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest',
    'WARC-Payload-Digest': sha1('hello'),
    'WARC-Refers-To-Target-URI': 'http://example.test/',
  };
  expect(texts((await check(record(revisit, ''))).faults)).toEqual([]);
  expect(texts((await check(record(revisit, 'hello\r\n\r\n'))).faults)).toEqual([
    '0 error expected an HTTP status line, got "hello"',
  ]);
});

test('record ids are distinguished as by a set', () => {
  const ids = createRecordIds();
  const names = Array.from({ length: 5000 }, (_, i) => `<urn:x:${i}>`);
  expect(names.every((name) => ids.add(name))).toBe(true);
  expect(names.some((name) => ids.add(name))).toBe(false);
});

async function headAndBlock(member: Uint8Array): Promise<[Buffer, Buffer]> {
  const { head, block, close } = await openRecord(readerOf(member), 0);
  const both: [Buffer, Buffer] = [Buffer.from(head), await joined(block)];
  await close();
  return both;
}

test('a record is opened by its place, with its head and block as stored', async () => {
  const info = await warcinfo();
  const large = `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(900_000)}`;
  const file = Buffer.concat([info, record(RESPONSE, large), info]);
  const { head, record: found, block, close } = await openRecord(readerOf(file), info.length);
  expect(Buffer.from(head).toString()).toMatch(/^WARC\/1\.1\r\n.*\r\n\r\n$/s);
  expect(found.blockLength).toBe(large.length);
  expect((await joined(block)).toString()).toBe(large);
  await close();
  const asIs = await openRecord(readerOf(Buffer.concat([info, plain(info), info])), info.length);
  expect([Buffer.from(asIs.head), await joined(asIs.block)]).toEqual(await headAndBlock(info));
  await asIs.close();
  await expect(openRecord(readerOf(file), 7)).rejects.toThrow(NotWarc);
  await expect(openRecord(readerOf(file), file.length)).rejects.toThrow(NotWarc);
});

test('a large record whose length is known is opened by few reads, none of them beyond it', async () => {
  const info = await warcinfo();
  const large = record(RESPONSE, randomBytes(5_000_000).toString('latin1'));
  const file = Buffer.concat([info, large, info]);
  const ends: number[] = [];
  const read: ReadAt = async (offset, length) => {
    ends.push(offset + length);
    return file.subarray(offset, offset + length);
  };
  const location = { offset: info.length, length: large.length };
  const { block, close } = await openWhole(read, location);
  expect((await joined(block)).length).toBe(5_000_000);
  await close();
  expect(ends.length).toBeLessThan(6);
  expect(Math.max(...ends)).toBe(location.offset + location.length);
});

test('reads through a window are the reads of the file', async () => {
  const file = Buffer.from(Array.from({ length: 500 }, (_, i) => i % 251));
  const place = fc.tuple(fc.nat(520), fc.nat(120));
  await fc.assert(
    fc.asyncProperty(fc.array(place), async (places) => {
      const read = windowedRead(readerOf(file), 64);
      for (const [offset, length] of places)
        expect(Buffer.from(await read(offset, length))).toEqual(file.subarray(offset, offset + length));
    }),
  );
});

test('small reads that follow one another are made by few large ones', async () => {
  const file = Buffer.from(Array.from({ length: 1000 }, (_, i) => i % 251));
  const places: [number, number][] = [];
  const read = windowedRead(async (offset, length) => {
    places.push([offset, length]);
    return file.subarray(offset, offset + length);
  }, 80);
  for (let at = 3; at < 203; at += 8)
    expect(Buffer.from(await read(at, 8))).toEqual(file.subarray(at, at + 8));
  expect(places).toEqual([
    [3, 8],
    [11, 80],
    [91, 80],
    [171, 80],
  ]);
});
