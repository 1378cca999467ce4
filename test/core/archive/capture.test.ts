import { createHash, randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { decodeMember, fieldOf } from '../../../shared/core/archive/read-warc.ts';
import { encodeWarcinfo } from '../../../shared/core/archive/warcinfo.ts';
import type { Body } from '../../../shared/core/outcome/body.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { bodyOf, captureOf, fixedIds, joined, RECORDS, REQUEST_ID, RESPONSE_ID, T0 } from './captures.ts';

/** Base32 by another way than the code under test: the number, in base 32. */
function sha1Of(...parts: Uint8Array[]): string {
  const hex = createHash('sha1').update(Buffer.concat(parts)).digest('hex');
  const digits = BigInt(`0x${hex}`).toString(32).padStart(32, '0');
  return `sha1:${digits.replace(/./g, (digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(digit, 32)]!)}`;
}

async function responseBlock(capture: FetchedResponse): Promise<string> {
  const { members } = await encodeCapture(capture, RECORDS);
  return Buffer.from(decodeMember(await joined(members[0])).block).toString('latin1');
}

test('an exchange becomes these two records, byte for byte', async () => {
  const body = Buffer.from('<p>Grüße</p>');
  const requestHead = Buffer.from(
    'GET /a?b=c HTTP/1.1\r\nHost: example.test\r\nUser-Agent: Strand/0.1\r\n\r\n',
  );
  const { members, ...rest } = await encodeCapture(
    captureOf({
      url: 'http://example.test/a?b=c',
      headers: [
        ['content-TYPE', 'text/html; charset=utf-8'],
        ['Set-Cookie', 'a=1'],
        ['Content-Length', '14'],
        ['Set-Cookie', 'b=2'],
        ['X-Name', 'caf\u00e9'],
      ],
      body,
      requestHead,
    }),
    { newId: fixedIds(), identifiedPayloadType: 'text/html' },
  );
  const http = Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-TYPE: text/html; charset=utf-8\r\nSet-Cookie: a=1\r\nContent-Length: 14\r\n' +
      'Set-Cookie: b=2\r\nX-Name: caf\u00e9\r\n\r\n',
    'latin1',
  );
  const response = Buffer.concat([
    Buffer.from(
      'WARC/1.1\r\n' +
        'WARC-Type: response\r\n' +
        `WARC-Record-ID: ${RESPONSE_ID}\r\n` +
        'WARC-Date: 2026-01-02T03:04:05.067Z\r\n' +
        'WARC-Target-URI: http://example.test/a?b=c\r\n' +
        'WARC-IP-Address: 127.0.0.1\r\n' +
        `WARC-Concurrent-To: ${REQUEST_ID}\r\n` +
        'WARC-Identified-Payload-Type: text/html\r\n' +
        `WARC-Payload-Digest: ${sha1Of(body)}\r\n` +
        `WARC-Block-Digest: ${sha1Of(http, body)}\r\n` +
        'Content-Type: application/http;msgtype=response\r\n' +
        `Content-Length: ${http.length + body.length}\r\n\r\n`,
    ),
    http,
    body,
    Buffer.from('\r\n\r\n'),
  ]);
  const request = Buffer.from(
    'WARC/1.1\r\n' +
      'WARC-Type: request\r\n' +
      `WARC-Record-ID: ${REQUEST_ID}\r\n` +
      'WARC-Date: 2026-01-02T03:04:05.067Z\r\n' +
      'WARC-Target-URI: http://example.test/a?b=c\r\n' +
      'WARC-IP-Address: 127.0.0.1\r\n' +
      `WARC-Concurrent-To: ${RESPONSE_ID}\r\n` +
      `WARC-Block-Digest: ${sha1Of(requestHead)}\r\n` +
      'Content-Type: application/http;msgtype=request\r\n' +
      `Content-Length: ${requestHead.length}\r\n\r\n` +
      `${requestHead.toString()}\r\n\r\n`,
  );
  expect(gunzipSync(await joined(members[0])).toString('latin1')).toBe(response.toString('latin1'));
  expect(gunzipSync(await joined(members[1])).toString('latin1')).toBe(request.toString('latin1'));
  expect(rest).toEqual({
    responseId: RESPONSE_ID,
    requestId: REQUEST_ID,
    date: '2026-01-02T03:04:05.067Z',
    payloadDigest: sha1Of(body),
    capture:
      'test,example)/a?b=c 20260102030405 {"url": "http://example.test/a?b=c", "mime": "text/html", ' +
      `"status": "200", "digest": "${sha1Of(body)}"`,
    payload: {
      sha1: createHash('sha1').update(body).digest(),
      url: 'http://example.test/a?b=c',
      date: '2026-01-02T03:04:05.067Z',
      recordId: RESPONSE_ID,
    },
  });
});

test('a warcinfo record is these bytes', async () => {
  const block =
    'software: Strand/0.1\r\nformat: WARC File Format 1.1\r\n' +
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n' +
    'operator: ops@example.test\r\nrobots: obey\r\nisPartOf: news\r\n\r\n';
  const member = encodeWarcinfo({
    filename: 'a-20260102030405-00000.warc.gz',
    date: T0,
    software: 'Strand/0.1',
    operator: 'ops@example.test\r\n',
    robots: 'obey',
    crawl: 'news',
    id: RESPONSE_ID,
  });
  expect(gunzipSync(await joined(member)).toString()).toBe(
    'WARC/1.1\r\n' +
      'WARC-Type: warcinfo\r\n' +
      `WARC-Record-ID: ${RESPONSE_ID}\r\n` +
      'WARC-Date: 2026-01-02T03:04:05.067Z\r\n' +
      'WARC-Filename: a-20260102030405-00000.warc.gz\r\n' +
      `WARC-Block-Digest: ${sha1Of(Buffer.from(block))}\r\n` +
      'Content-Type: application/warc-fields\r\n' +
      `Content-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`,
  );
});

interface StoredHead extends Partial<Omit<FetchedResponse, 'body'>> {
  readonly what: string;
  readonly text: string;
  readonly stored: string;
}

const STORED_HEADS: readonly StoredHead[] = [
  {
    what: 'a chunked body',
    headers: [
      ['transfer-encoding', 'chunked'],
      ['Vary', '*'],
    ],
    text: 'abc',
    stored: 'HTTP/1.1 200 OK\r\nX-Archive-Orig-transfer-encoding: chunked\r\nVary: *\r\n\r\nabc',
  },
  {
    what: 'a body cut at a limit',
    headers: [
      ['Content-Length', '1000'],
      ['Vary', '*'],
    ],
    text: 'abc',
    truncated: 'length',
    stored:
      'HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 1000\r\nContent-Length: 3\r\nVary: *\r\n\r\nabc',
  },
  {
    what: 'several lengths that are not true',
    headers: [
      ['Content-Length', '4'],
      ['content-length', '3, 3'],
      ['Content-length', 'x'],
    ],
    text: 'abc',
    stored:
      'HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 4\r\nContent-Length: 3\r\n' +
      'X-Archive-Orig-content-length: 3, 3\r\nX-Archive-Orig-Content-length: x\r\n\r\nabc',
  },
  {
    what: 'a body that ended with the connection',
    headers: [['Connection', 'close']],
    text: 'abc',
    stored: 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc',
  },
  {
    what: 'an empty body',
    headers: [['Content-Length', '0']],
    text: '',
    stored: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  },
  {
    what: 'not modified, with the length that a GET would have',
    httpStatus: 304,
    statusText: 'Not Modified',
    headers: [['Content-Length', '77']],
    text: '',
    stored: 'HTTP/1.1 304 Not Modified\r\nX-Archive-Orig-Content-Length: 77\r\n\r\n',
  },
  {
    what: 'an answer to HEAD',
    requestHead: Buffer.from('HEAD / HTTP/1.1\r\nHost: example.test\r\n\r\n'),
    headers: [['Content-Length', '77']],
    text: '',
    stored: 'HTTP/1.1 200 OK\r\nX-Archive-Orig-Content-Length: 77\r\n\r\n',
  },
  {
    what: 'no reason phrase',
    httpStatus: 404,
    statusText: '',
    headers: [],
    text: 'gone',
    stored: 'HTTP/1.1 404 \r\n\r\ngone',
  },
];

test.each(STORED_HEADS)(
  'the stored head is true of the stored bytes: $what',
  async ({ text, stored, ...head }) => {
    expect(await responseBlock(captureOf({ ...head, body: Buffer.from(text) }))).toBe(stored);
  },
);

test('a cut body is marked with why', async () => {
  const { members } = await encodeCapture(
    captureOf({ body: Buffer.from('abc'), truncated: 'time' }),
    RECORDS,
  );
  const [response, request] = [
    decodeMember(await joined(members[0])),
    decodeMember(await joined(members[1])),
  ];
  expect(fieldOf(response, 'WARC-Truncated')).toBe('time');
  expect(fieldOf(request, 'WARC-Truncated')).toBeUndefined();
});

test('a body with a content coding is kept as received, stored and not deflated again', async () => {
  const body = gzipSync(Buffer.from('x'.repeat(100_000) + Math.E));
  const { members } = await encodeCapture(
    captureOf({ headers: [['Content-Encoding', 'gzip']], body }),
    RECORDS,
  );
  const member = await joined(members[0]);
  expect(member.includes(body)).toBe(true);
  const block = Buffer.from(decodeMember(member).block);
  expect(block.subarray(-body.length).equals(body)).toBe(true);
  expect(block.toString('latin1')).toContain('\r\nContent-Encoding: gzip\r\n');
});

test('nothing from the web begins a new line or ends a head', async () => {
  // U+010A and U+010D lose their high byte in Latin-1, and would become LF and CR.
  const evil = fc.string({
    unit: fc.constantFrom('a', ':', ' ', '\r', '\n', '\0', '\u010a', '\u010d', '\u{1f4a9}'),
  });
  await fc.assert(
    fc.asyncProperty(evil, evil, async (name, value) => {
      const { members } = await encodeCapture(
        captureOf({
          url: `http://example.test/${value}`,
          statusText: value,
          ipAddress: value,
          headers: [[name, value]],
          body: Buffer.from('body'),
        }),
        RECORDS,
      );
      const record = decodeMember(await joined(members[0]));
      const lines = Buffer.from(record.block).toString('latin1').split('\r\n');
      expect(lines).toHaveLength(4);
      expect(lines.join('')).not.toMatch(/[\r\n]/);
      expect(lines.at(-1)).toBe('body');
      expect(record.fields.map(([field]) => field).filter((field) => field !== 'WARC-IP-Address')).toEqual([
        'WARC-Type',
        'WARC-Record-ID',
        'WARC-Date',
        'WARC-Target-URI',
        'WARC-Concurrent-To',
        'WARC-Payload-Digest',
        'WARC-Block-Digest',
        'Content-Type',
        'Content-Length',
      ]);
      expect(fieldOf(record, 'WARC-Target-URI')).toMatch(/^\S+$/);
    }),
  );
});

describe.each(['gzip', 'identity'])('a body of 20 MB (Content-Encoding: %s)', (coding) => {
  const size = 20_000_000;
  // Random, and longer than deflate's window: what goes in comes out.
  const chunk = randomBytes(50_000);
  const headers: [string, string][] = [['Content-Encoding', coding]];
  let made = 0;
  const body: Body = {
    size,
    sha1: createHash('sha1').update(Buffer.alloc(size, chunk)).digest(),
    bytes: () => Promise.reject(new Error('requested the whole of a large body')),
    async *chunks() {
      for (made = 0; made < size; made += chunk.length) yield chunk;
    },
    dispose: async () => {},
  };

  test('streams through, and decodes to the same bytes', async () => {
    const { members } = await encodeCapture(captureOf({ headers, body }), RECORDS);
    const record = decodeMember(await joined(members[0]));
    const head = Buffer.from(record.block).indexOf('\r\n\r\n') + 4;
    expect(record.block.length - head).toBe(size);
    expect(sha1Of(record.block.subarray(head))).toBe(fieldOf(record, 'WARC-Payload-Digest'));
    expect(sha1Of(record.block)).toBe(fieldOf(record, 'WARC-Block-Digest'));
  });

  test('is read no faster than its member is taken', async () => {
    const { members } = await encodeCapture(captureOf({ headers, body }), RECORDS);
    made = 0;
    let taken = 0;
    for await (const piece of members[0] as AsyncIterable<Uint8Array>) {
      taken += piece.length;
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      expect(made - taken).toBeLessThan(600_000);
      if (taken > 3_000_000) break;
    }
  });
});

test.each([-1, 1])(
  'a streamed body that has %i bytes more than it said fails, and is not archived as whole',
  async (more) => {
    const size = 300_000;
    for (const coding of ['gzip', 'identity']) {
      const body = { ...bodyOf(Buffer.alloc(size + more)), size };
      const { members } = await encodeCapture(
        captureOf({ headers: [['Content-Encoding', coding]], body }),
        RECORDS,
      );
      await expect(joined(members[0])).rejects.toThrow('Expected a body of 300000 bytes');
    }
  },
);

test('an address zone is left out, and an unknown address is no field', async () => {
  for (const [ipAddress, expected] of [
    ['fe80::1%eth0', 'fe80::1'],
    ['', undefined],
  ] as const) {
    const { members } = await encodeCapture(captureOf({ ipAddress }), RECORDS);
    expect(fieldOf(decodeMember(await joined(members[0])), 'WARC-IP-Address')).toBe(expected);
  }
});
