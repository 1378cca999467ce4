import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readHeads } from '../../../shared/core/archive/read-heads.ts';
import { fieldOf } from '../../../shared/core/archive/read-warc.ts';

function memberOf(http: string, body: Uint8Array, fields = ''): Buffer {
  const block = Buffer.concat([Buffer.from(http, 'latin1'), body]);
  const head = `WARC/1.1\r\nWARC-Type: response\r\n${fields}Content-Length: ${block.length}\r\n\r\n`;
  return gzipSync(Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]));
}

async function heads(member: Uint8Array) {
  const before = gzipSync('what stands before it');
  const file = Buffer.concat([before, member, gzipSync('what comes after it')]);
  let bytes = 0;
  const read = async (offset: number, length: number) => {
    const piece = file.subarray(offset, offset + length);
    bytes += piece.length;
    return piece;
  };
  return { ...(await readHeads(read, { offset: before.length, length: member.length })), bytes };
}

const HTTP = 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n';

test('the heads of a large record are read without its body', async () => {
  const { record, httpStatus, headers, bytes } = await heads(memberOf(HTTP, randomBytes(500_000)));
  expect(fieldOf(record, 'WARC-Type')).toBe('response');
  expect({ httpStatus, headers }).toEqual({ httpStatus: 404, headers: [['Content-Type', 'text/html']] });
  expect(bytes).toBeLessThanOrEqual(4096);
});

test('long heads, heads that compress badly and bodies that compress well are read', async () => {
  const noise = `X-Noise: ${randomBytes(20_000).toString('base64')}\r\n`;
  const long = HTTP.replace('\r\n\r\n', `\r\n${noise}\r\n`);
  expect((await heads(memberOf(long, randomBytes(100)))).headers[1]![0]).toBe('X-Noise');
  expect((await heads(memberOf(HTTP, randomBytes(10), noise))).httpStatus).toBe(404);
  expect((await heads(memberOf(HTTP, Buffer.alloc(50_000_000)))).httpStatus).toBe(404);
});

test('a head without an end is empty, a block does not reach into the next record', async () => {
  expect(await heads(memberOf('HTTP/1.1 200 OK\r\nA: b', Buffer.alloc(2_000_000, 'a')))).toMatchObject({
    httpStatus: 0,
  });
  expect(await heads(memberOf('HTTP/1.1 200 OK\r\n', Buffer.alloc(0)))).toMatchObject({
    httpStatus: 0,
    headers: [],
  });
});

test('what is no record is refused', async () => {
  await expect(heads(Buffer.from('no gzip at all'))).rejects.toMatchObject({ name: 'NotWarc' });
  await expect(heads(memberOf(HTTP, randomBytes(9000)).subarray(0, 60))).rejects.toMatchObject({
    name: 'NotWarc',
  });
  await expect(heads(gzipSync('no record'))).rejects.toMatchObject({ name: 'NotWarc' });
});
