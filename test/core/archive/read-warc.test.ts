import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeMember, NotWarc } from '../../../shared/core/archive/read-warc.ts';
import { encodeRecord, encodeRecordStream, warcDate } from '../../../shared/core/archive/warc-record.ts';
import { bodyOf, joined, newId, T0 } from './captures.ts';

const fields = () => ({ 'WARC-Type': 'resource', 'WARC-Record-ID': newId(), 'WARC-Date': warcDate(T0) });

const bodies = fc
  .tuple(fc.integer({ min: 0, max: 150_000 }), fc.integer({ min: 1, max: 255 }))
  .map(([size, step]) => Uint8Array.from({ length: size }, (_, i) => (i * step) ^ (i >> 7)));

test('what is encoded decodes to the same block, in memory and streamed, stored and deflated', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.integer({ min: 1, max: 70_000 }), async (body, chunkBytes) => {
      const text = Buffer.from('head\r\n\r\n');
      for (const packing of ['store', 'deflate'] as const) {
        const whole = encodeRecord(fields(), text, body, packing);
        const chunked = bodyOf(body, Math.max(chunkBytes, body.length >> 6));
        const streamed = encodeRecordStream(fields(), text, chunked, packing);
        for (const member of [whole, streamed]) {
          const record = decodeMember(await joined(member));
          expect(Buffer.compare(record.block, Buffer.concat([text, body]))).toBe(0);
          expect(record.version).toBe('1.1');
          expect(record.fields.map(([name]) => name)).toEqual([...Object.keys(fields()), 'Content-Length']);
        }
      }
    }),
    { numRuns: 40 },
  );
});

const good = 'WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n';

test.each([
  ['no gzip at all', Buffer.from('WARC/1.1'), /incorrect header check/],
  ['a member cut short', gzipSync(good).subarray(0, -9), /unexpected end of file/],
  [
    'another version',
    gzipSync(good.replace('1.1', '2.0')),
    /expected WARC\/1.0 or WARC\/1.1, got "WARC\/2.0"/,
  ],
  ['no length', gzipSync(good.replace('Content-Length: 3\r\n', '')), /expected a Content-Length, got "none"/],
  ['a negative length', gzipSync(good.replace('3', '-3')), /expected a Content-Length, got "-3"/],
  ['too long a length', gzipSync(good.replace('3', '30')), /expected a block of 30 bytes, got 7/],
  [
    'too short a length',
    gzipSync(good.replace('3', '2')),
    /expected CRLF CRLF .* at 54 of its bytes, got 5 bytes/,
  ],
  ['two records in one member', gzipSync(good + good), /expected CRLF CRLF and the member's end/],
  ['two members', Buffer.concat([gzipSync(good), gzipSync(good)]), /expected CRLF CRLF and the member's end/],
  [
    'a line without a colon',
    gzipSync(good.replace('WARC-Type:', 'what')),
    /expected a named field, got "what res/,
  ],
  ['no end of the fields', gzipSync('WARC/1.1\r\nA: b\r\n'), /expected an empty line/],
])('%s is refused, and the message says where and what', (_, member, message) => {
  const decode = () => decodeMember(member, { offset: 4711 });
  expect(decode).toThrow(NotWarc);
  expect(decode).toThrow(message);
  expect(decode).toThrow('at 4711');
});

test('a folded line is read as one field', () => {
  const record = decodeMember(gzipSync(good.replace('resource', 'reso\r\n urce')));
  expect(record.fields[0]).toEqual(['WARC-Type', 'reso urce']);
});

test('a record that inflates beyond the bound is refused', () => {
  expect(() => decodeMember(gzipSync(Buffer.alloc(10_000_000)), { maxBytes: 1_000_000 })).toThrow(
    'larger than 1000000',
  );
});

test('bytes that are no member never do worse than be refused', () => {
  const member = gzipSync(good);
  fc.assert(
    fc.property(fc.nat(member.length - 1), fc.nat(255), fc.nat(member.length), (at, byte, end) => {
      const broken = Buffer.from(member.subarray(0, end));
      if (at < end) broken[at] = byte;
      try {
        expect(Buffer.from(decodeMember(broken).block).toString()).toBe('abc');
      } catch (error) {
        expect(error).toBeInstanceOf(NotWarc);
      }
    }),
  );
});
