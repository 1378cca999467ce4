import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  encodeCapture,
  encodeNotModified,
  encodeRevisit,
  isRevisitable,
} from '../../../shared/core/archive/capture.ts';
import { sha1Label } from '../../../shared/core/archive/digest.ts';
import { PayloadReader, REVISIT } from '../../../shared/core/archive/payload-reader.ts';
import { readResponse } from '../../../shared/core/archive/read-response.ts';
import { decodeMember, fieldOf } from '../../../shared/core/archive/read-warc.ts';
import { bodyOf, captureOf, fixedIds, joined, RECORDS, REQUEST_ID, RESPONSE_ID, T0 } from './captures.ts';

const ORIGINAL = {
  url: 'http://example.test/first',
  date: '2026-01-01T00:00:00.000Z',
  recordId: '<urn:uuid:00000000-0000-4000-8000-00000000000a>',
};

const sha1 = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest();

test('an exchange whose payload is archived becomes a revisit, byte for byte, and its request', async () => {
  const body = Buffer.from('the same');
  const revisit = await encodeRevisit(
    captureOf({
      url: 'http://example.test/again',
      headers: [
        ['Content-Type', 'text/plain'],
        ['Transfer-Encoding', 'chunked'],
        ['content-length', '9'],
      ],
      body,
    }),
    ORIGINAL,
    { newId: fixedIds() },
  );
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n' +
    'X-Archive-Orig-content-length: 9\r\nContent-Length: 8\r\n\r\n';
  expect(gunzipSync(await joined(revisit.members[0])).toString('latin1')).toBe(
    'WARC/1.1\r\n' +
      'WARC-Type: revisit\r\n' +
      `WARC-Record-ID: ${RESPONSE_ID}\r\n` +
      'WARC-Date: 2026-01-02T03:04:05.067Z\r\n' +
      'WARC-Target-URI: http://example.test/again\r\n' +
      'WARC-IP-Address: 127.0.0.1\r\n' +
      `WARC-Concurrent-To: ${REQUEST_ID}\r\n` +
      'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n' +
      `WARC-Refers-To: ${ORIGINAL.recordId}\r\n` +
      `WARC-Refers-To-Target-URI: ${ORIGINAL.url}\r\n` +
      `WARC-Refers-To-Date: ${ORIGINAL.date}\r\n` +
      'WARC-Truncated: length\r\n' +
      `WARC-Payload-Digest: ${sha1Label(sha1(body))}\r\n` +
      `WARC-Block-Digest: ${sha1Label(sha1(Buffer.from(head)))}\r\n` +
      'Content-Type: application/http;msgtype=response\r\n' +
      `Content-Length: ${head.length}\r\n\r\n${head}\r\n\r\n`,
  );
  const request = decodeMember(await joined(revisit.members[1]));
  expect(fieldOf(request, 'WARC-Type')).toBe('request');
  expect(fieldOf(request, 'WARC-Concurrent-To')).toBe(RESPONSE_ID);
  expect(revisit).toMatchObject({
    responseId: RESPONSE_ID,
    requestId: REQUEST_ID,
    date: '2026-01-02T03:04:05.067Z',
    capture:
      'test,example)/again 20260102030405 {"url": "http://example.test/again", "mime": "warc/revisit", ' +
      `"status": "200", "digest": "${sha1Label(sha1(body))}"`,
    payload: { ...ORIGINAL, sha1: sha1(body) },
  });
});

test('a revisit refers to the record that holds the payload, whatever it is made of itself', async () => {
  const first = await encodeCapture(
    captureOf({ url: 'http://example.test/a b\u0000', body: Buffer.from('x') }),
    RECORDS,
  );
  const again = await encodeRevisit(
    captureOf({ startedAt: T0 + 5000, body: Buffer.from('x') }),
    first.payload,
    RECORDS,
  );
  const third = await encodeRevisit(captureOf({ body: Buffer.from('x') }), again.payload, RECORDS);
  const response = decodeMember(await joined(first.members[0]));
  const revisit = decodeMember(await joined(third.members[0]));
  expect(fieldOf(revisit, 'WARC-Refers-To')).toBe(fieldOf(response, 'WARC-Record-ID'));
  expect(fieldOf(revisit, 'WARC-Refers-To-Target-URI')).toBe(fieldOf(response, 'WARC-Target-URI'));
  expect(fieldOf(revisit, 'WARC-Refers-To-Date')).toBe(fieldOf(response, 'WARC-Date'));
});

test('a revisit never asks for the body', async () => {
  const unread = {
    ...bodyOf(Buffer.from('x')),
    bytes: () => Promise.reject(new Error('read')),
    chunks: () => {
      throw new Error('read');
    },
  };
  await encodeRevisit(captureOf({ body: { ...unread, size: 1e9 } }), ORIGINAL, RECORDS);
});

const body = Buffer.from('x');
const head = (method: string) => Buffer.from(`${method} / HTTP/1.1\r\n\r\n`);

test.each([
  ['a page', captureOf({ body }), true],
  ['an error page', captureOf({ body, httpStatus: 404 }), true],
  ['one without a body', captureOf({}), false],
  ['one that is cut', captureOf({ body, truncated: 'length' }), false],
  ['a redirect', captureOf({ body, httpStatus: 301 }), false],
  ['a part', captureOf({ body, httpStatus: 206 }), false],
  ['an answer to POST', captureOf({ body, requestHead: head('POST') }), false],
  ['an answer to HEAD', captureOf({ body, requestHead: head('HEAD') }), false],
] as const)('of responses, %s may be a revisit: %#', (_, response, expected) => {
  expect(isRevisitable(response)).toBe(expected);
});

test('a 304 becomes a revisit that refers to the content that the server says is unchanged', async () => {
  const original = { ...ORIGINAL, recordId: undefined, sha1: sha1(Buffer.from('the page')) };
  const capture = captureOf({
    url: 'http://example.test/page',
    httpStatus: 304,
    headers: [['ETag', 'W/"1"']],
    body: Buffer.alloc(0),
  });
  const { members, capture: line } = await encodeNotModified(capture, original, { newId: fixedIds() });
  const record = decodeMember(await joined(members[0]));
  const fields = Object.fromEntries(record.fields);
  expect(fields).toMatchObject({
    'WARC-Type': 'revisit',
    // The 1.1 URI: ISO 28500:2017, section 6.7.3.
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
    'WARC-Refers-To-Target-URI': ORIGINAL.url,
    'WARC-Refers-To-Date': ORIGINAL.date,
    'WARC-Payload-Digest': sha1Label(sha1(Buffer.from('the page'))),
  });
  expect(fields).not.toHaveProperty('WARC-Refers-To');
  expect(fields).not.toHaveProperty('WARC-Truncated');
  const text = gunzipSync(await joined(members[0])).toString('latin1');
  expect(text, 'no head: players would answer 304').toMatch(/Content-Length: 0\r\n\r\n\r\n\r\n$/);
  expect(line).toContain('"mime": "warc/revisit"');
});

test('a 304 is read with the head and the content of the response that it refers to', async () => {
  const page = Buffer.from('the page');
  const options = { newId: fixedIds() };
  const first = await encodeCapture(captureOf({ headers: [['X-A', 'b']], body: page }), options);
  const again = captureOf({ url: 'http://example.test/again', httpStatus: 304, body: Buffer.alloc(0) });
  const revisit = await encodeNotModified(again, { ...ORIGINAL, sha1: sha1(page) }, options);
  const members = [await joined(first.members[0]), await joined(revisit.members[0])] as const;
  const file = Buffer.concat(members);
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  const digest = sha1Label(sha1(page));
  const original = { file: 'f', offset: 0, length: members[0].length, digest };
  const visit = { file: 'f', offset: members[0].length, length: members[1].length, digest, mime: REVISIT };
  const reader = new PayloadReader({
    readResponse: (location, maxBytes) => readResponse(read, location, maxBytes),
    async *captures() {
      yield original;
      yield visit;
    },
  });
  const { response, payload } = await reader.read(visit, 1000);
  expect(Buffer.from(payload.body).toString()).toBe('the page');
  expect(response).toMatchObject({ httpStatus: 200, headers: expect.arrayContaining([['X-A', 'b']]) });
  expect(response.url).toBe('http://example.test/again');
});

test('the index is read again for one revisit of a damaged file, and not for the others', async () => {
  const sha1Of = (n: number) => sha1(Buffer.from(`page ${n}`));
  const capture = captureOf({ url: 'http://example.test/page', httpStatus: 304, body: Buffer.alloc(0) });
  const members = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const { members } = await encodeNotModified(
        capture,
        { ...ORIGINAL, sha1: sha1Of(n) },
        { newId: fixedIds() },
      );
      return joined(members[0]);
    }),
  );
  const file = Buffer.concat(members);
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  const placeOf = (n: number, name: string) => {
    const offset = Buffer.concat(members.slice(0, n)).length;
    return { file: name, offset, length: members[n]!.length };
  };
  let passes = 0;
  const index = [{ ...placeOf(0, 'damaged'), digest: sha1Label(sha1Of(0)), mime: REVISIT }];
  const reader = new PayloadReader({
    readResponse: (location, maxBytes) => readResponse(read, location, maxBytes),
    async *captures() {
      passes++;
      yield* index;
    },
  });
  const passesFor = async (n: number, name: string) => {
    const before = passes;
    await expect(reader.read(placeOf(n, name), 1000)).rejects.toThrow('which this crawl does not have');
    return passes - before;
  };
  expect(await passesFor(0, 'damaged'), 'the first one').toBe(2);
  expect(await passesFor(1, 'damaged'), 'behind the damage').toBe(2);
  for (const n of [2, 3, 4]) expect(await passesFor(n, 'damaged')).toBe(0);
  expect(await passesFor(5, 'new'), 'of another file').toBe(2);
});
