import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storedResponseHead } from '../../../shared/core/archive/http-head.ts';
import { cleanFraming, repairHead } from '../../../shared/crawler/fetcher/repair-head.ts';
import { asFailure, asResponse, openFetcher, serveRaw } from './servers.ts';

const OK = 'HTTP/1.1 200 OK\r\n';
const LENGTH = 'Content-Length: 5\r\n';
const BODY = '\r\nhello';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const CHUNKS = '5\r\nhello\r\n0\r\n\r\n';

type Field = readonly [name: string, value: string];
/** Heads that browsers accept: the bytes, and a field that must be among those received. */
const ACCEPTED: readonly (readonly [name: string, bytes: string, field?: Field | undefined])[] = [
  ['a plain header', `${OK}${LENGTH}${BODY}`],
  ['bare LF', `HTTP/1.1 200 OK\nContent-Length: 5\nX-A: b\n\nhello`, ['X-A', 'b']],
  ['LF in some lines', `HTTP/1.1 200 OK\r\nContent-Length: 5\nX-A: b\n\r\nhello`, ['X-A', 'b']],
  ['a value with 0x7f', `${OK}${LENGTH}X-A: a\x7fb\r\n${BODY}`, ['X-A', 'a b']],
  ['a value with NUL', `${OK}${LENGTH}X-A: a\0b\r\n${BODY}`, ['X-A', 'a b']],
  ['a value with other control characters', `${OK}${LENGTH}X-A: \x01a\x1bb\r\n${BODY}`, ['X-A', 'a b']],
  ['a value with a bare CR', `${OK}${LENGTH}X-A: a\rb\r\n${BODY}`, ['X-A', 'a b']],
  ['a value in UTF-8', `${OK}${LENGTH}X-A: caf\xc3\xa9\r\n${BODY}`, ['X-A', 'caf\xc3\xa9']],
  ['an empty value', `${OK}${LENGTH}X-A:\r\n${BODY}`, ['X-A', '']],
  ['no space behind the colon', `${OK}Content-Length:5\r\nX-A:b\r\n${BODY}`, ['X-A', 'b']],
  ['a tab behind the colon', `${OK}Content-Length:\t5\r\n${BODY}`, ['Content-Length', '5']],
  ['a name with a slash', `${OK}a/b: c\r\n${LENGTH}${BODY}`, ['a/b', 'c']],
  ['a name with a space', `${OK}X A: c\r\n${LENGTH}${BODY}`, ['X A', 'c']],
  ['a name with brackets', `${OK}X(A): c\r\n${LENGTH}${BODY}`, ['X(A)', 'c']],
  ['a name that is not ASCII', `${OK}X-\xe9: c\r\n${LENGTH}${BODY}`, ['X-\xe9', 'c']],
  ['a space before the colon', `${OK}X-A : b\r\nContent-Length : 5\r\n${BODY}`, ['X-A', 'b']],
  ['no name', `${OK}: b\r\n${LENGTH}${BODY}`],
  ['a line without a colon', `${OK}nonsense\r\n${LENGTH}${BODY}`],
  ['a status line twice', `${OK}${OK}${LENGTH}${BODY}`],
  ['HTML between the fields', `${OK}<br />\n<b>Warning</b> in <b>a.php</b>\r\n${LENGTH}${BODY}`],
  ['a folded value', `${OK}X-A: a\r\n  b\r\n\tc\r\n${LENGTH}${BODY}`, ['X-A', 'a b c']],
  ['a folded first line', `${OK} folded\r\n${LENGTH}${BODY}`],
  [
    'a folded line behind one that is no field',
    `${OK}X-A: b\r\nnonsense\r\n c\r\n${LENGTH}${BODY}`,
    ['X-A', 'b'],
  ],
  ['a folded length', `${OK}Content-Length:\r\n 5\r\n${BODY}`, ['Content-Length', '5']],
  ['two equal lengths', `${OK}${LENGTH}${LENGTH}${BODY}`],
  ['a list of equal lengths', `${OK}Content-Length: 5, 5\r\n${BODY}`],
  ['a length with zeros before it', `${OK}Content-Length: 005\r\n${BODY}`],
  ['a length with a plus', `${OK}Content-Length: +5\r\n${BODY}`],
  ['a length below zero', `${OK}Content-Length: -1\r\n${BODY}`],
  ['a length that is no number', `${OK}Content-Length: five\r\n${BODY}`],
  ['an empty length', `${OK}Content-Length:\r\n${BODY}`],
  ['a length too long for a number', `${OK}Content-Length: 99999999999999999999\r\n${BODY}`],
  ['chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  [
    'chunks, said twice',
    `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ],
  ['chunks in capitals', `${OK}TRANSFER-ENCODING: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  ['chunks with a space before the colon', `${OK}Transfer-Encoding : chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  ['chunks with extensions', `${OK}Transfer-Encoding: chunked\r\n\r\n5;a=b;c\r\nhello\r\n0\r\n\r\n`],
  ['chunks with trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: a\r\n\r\n`],
  ['`identity`', `${OK}Transfer-Encoding: identity\r\n${LENGTH}${BODY}`],
  ['a length and chunks', `${OK}${LENGTH}${CHUNKED}\r\n${CHUNKS}`, ['Content-Length', '5']],
  ['chunks and a length', `${OK}${CHUNKED}Content-Length: 999\r\n\r\n${CHUNKS}`],
  [
    'a length and chunks with a space before the colon',
    `${OK}${LENGTH}Transfer-Encoding : chunked\r\n\r\n${CHUNKS}`,
  ],
  ['two lengths and chunks', `${OK}${LENGTH}Content-Length: 6\r\n${CHUNKED}\r\n${CHUNKS}`],
  ['chunks and `identity`', `${OK}Transfer-Encoding: identity, chunked\r\n\r\n${CHUNKS}`],
  ['a length and an unknown transfer coding', `${OK}${LENGTH}Transfer-Encoding: utf-8\r\n${BODY}`],
  ['an unknown transfer coding alone', `${OK}Transfer-Encoding: utf-8\r\n${BODY}`],
  ['an empty transfer coding', `${OK}${LENGTH}Transfer-Encoding:\r\n${BODY}`],
  ['no blank behind the status', `HTTP/1.1 200OK\r\n${LENGTH}${BODY}`],
  ['no status', `HTTP/1.1\r\n${LENGTH}${BODY}`],
  ['no status, but a reason', `HTTP/1.1 OK\r\n${LENGTH}${BODY}`],
  ['four bytes before it', `xxxx${OK}${LENGTH}${BODY}`],
  ['a BOM before it', `\xef\xbb\xbf${OK}${LENGTH}${BODY}`],
  ['no reason', `HTTP/1.1 200\r\n${LENGTH}${BODY}`],
  ['no reason, and a space', `HTTP/1.1 200 \r\n${LENGTH}${BODY}`],
  ['a reason that is not ASCII', `HTTP/1.1 200 D\xe9j\xe0\r\n${LENGTH}${BODY}`],
  ['a reason with a control character', `HTTP/1.1 200 O\x07K\r\n${LENGTH}${BODY}`],
  ['several spaces in the status line', `HTTP/1.1  200   OK\r\n${LENGTH}${BODY}`],
  ['tabs in the status line', `HTTP/1.1\t200\tOK\r\n${LENGTH}${BODY}`],
  ['small letters', `http/1.1 200 ok\r\n${LENGTH}${BODY}`],
  ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${BODY}`],
  ['HTTP/1.2', `HTTP/1.2 200 OK\r\n${LENGTH}${BODY}`],
  ['HTTP/2.0 in letters', `HTTP/2.0 200 OK\r\n${LENGTH}${BODY}`],
  ['HTTP without a version', `HTTP 200 OK\r\n${BODY}`],
  ['empty lines before it', `\r\n\r\n\n${OK}${LENGTH}${BODY}`],
  ['100 before it', `HTTP/1.1 100 Continue\r\n\r\n${OK}${LENGTH}${BODY}`],
  [
    '102, 103 and 199 before it',
    `HTTP/1.1 102 A\r\n\r\nHTTP/1.1 103 B\nLink: a\n\nHTTP/1.1 199 C\r\n\r\n${OK}${LENGTH}${BODY}`,
  ],
  ['500 interim responses', `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)}${OK}${LENGTH}${BODY}`],
  ['1,000 fields', `${OK}${LENGTH}${'X-Field: a value\r\n'.repeat(1000)}${BODY}`, ['X-Field', 'a value']],
  ['a field of 100 KB', `${OK}${LENGTH}X-A: ${'a'.repeat(100_000)}\r\n${BODY}`],
  ['Connection: close', `${OK}Connection: close\r\n${BODY}`],
  ['a connection to upgrade that is not', `${OK}Connection: upgrade\r\nUpgrade: h2\r\n${LENGTH}${BODY}`],
];

/** Heads that two readers may read differently, or that are not HTTP at all. */
const REFUSED: readonly (readonly [name: string, bytes: string, code: string, message: string | RegExp])[] = [
  [
    'two lengths',
    `${OK}Content-Length: 5\r\nContent-Length: 6\r\n${BODY}`,
    'ambiguousLength',
    'the response has several lengths: "5, 6"',
  ],
  ['a list of lengths', `${OK}Content-Length: 5, 6\r\n${BODY}`, 'ambiguousLength', /several lengths: "5, 6"/],
  [
    'two lengths, one odd',
    `${OK}Content-Length: 5\r\nContent-Length : +5\r\n${BODY}`,
    'ambiguousLength',
    /several/,
  ],
  [
    'two lengths, one folded',
    `${OK}Content-Length: 5\r\nX: a\r\nContent-Length:\r\n 6\r\n${BODY}`,
    'ambiguousLength',
    /several/,
  ],
  [
    'a status of two digits',
    `HTTP/1.1 20 OK\r\n${BODY}`,
    'malformedResponse',
    /no status: "HTTP\/1.1 20 OK"/,
  ],
  ['a status of four digits', `HTTP/1.1 2000 OK\r\n${BODY}`, 'malformedResponse', /no status/],
  ['a status below 100', `HTTP/1.1 099 Low\r\n${BODY}`, 'malformedResponse', /no status/],
  [
    '101',
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
    'malformedResponse',
    /HTTP 101/,
  ],
  ['HTML alone (HTTP/0.9)', '<html>hello</html>', 'notHttp', /^the answer is not HTTP: it begins with "</],
  ['SSH', 'SSH-2.0-OpenSSH_9.6\r\n', 'notHttp', /^the answer is not HTTP: it begins with "SS?/],
  ['ICY', 'ICY 200 OK\r\nicy-name: radio\r\n\r\n', 'notHttp', /^the answer is not HTTP: it begins with "IC?/],
  [
    'five bytes before it',
    `12345${OK}${LENGTH}${BODY}`,
    'notHttp',
    /^the answer is not HTTP: it begins with "1/,
  ],
  [
    'HTTP/2',
    '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80',
    'http2Only',
    'the server speaks HTTP/2 at this port, and Strand speaks HTTP/1.1',
  ],
  [
    'a TLS alert',
    '\x15\x03\x01\x00\x02\x02\x46',
    'tlsRequired',
    'the server speaks TLS at this port; try https://',
  ],
  [
    'half a header',
    `${OK}X-A: b\r\n`,
    'connectionReset',
    "the connection ended within the response's header",
  ],
  ['an interim response alone', 'HTTP/1.1 100 Continue\r\n\r\n', 'connectionReset', /ended within/],
  [
    'a header of 300 KB',
    `${OK}X-A: ${'a'.repeat(300_000)}\r\n${BODY}`,
    'headersTooLarge',
    "the response's header is larger than 262144 bytes",
  ],
  [
    'endless interim responses',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(20_000),
    'headersTooLarge',
    /larger than/,
  ],
];

describe.each([
  ['at once', Number.POSITIVE_INFINITY],
  ['byte by byte', 1],
  ['in pieces of 7 bytes', 7],
])('a response that comes %s', (_name, size) => {
  /** A server whose response comes in pieces, each in a packet of its own; long ones in larger pieces. */
  const serve = (bytes: string) =>
    serveRaw(async (socket) => {
      socket.setNoDelay(true);
      const step = bytes.length > 2000 && size < 2000 ? 2000 : Math.min(size, bytes.length);
      for (let at = 0; at < bytes.length && socket.writable; at += step) {
        socket.write(bytes.slice(at, at + step), 'latin1');
        if (step < bytes.length) await new Promise(setImmediate);
      }
      socket.end();
    });

  test.each(ACCEPTED.map(([name, bytes, field]) => ({ name, bytes, field })))(
    'is accepted: $name',
    async ({ bytes, field }) => {
      const server = await serve(bytes);
      const response = asResponse(await openFetcher().fetch({ url: server.origin }));
      expect(Buffer.from(await response.body.bytes()).toString()).toBe('hello');
      expect([response.httpStatus, response.truncated]).toEqual([200, undefined]);
      if (field) expect(response.headers).toContainEqual(field);
      // The archived head can be read strictly, and is true of the body.
      const stored = storedResponseHead(response, { size: 5, isNone: false }).toString();
      for (const char of stored) expect(char >= ' ' || '\t\r\n'.includes(char), stored).toBe(true);
      expect(stored).not.toContain('\x7f');
    },
  );

  test.each(REFUSED)('is refused: %s', async (_name, bytes, code, message) => {
    const server = await serve(bytes);
    const failure = asFailure(await openFetcher().fetch({ url: server.origin }));
    expect(failure).toMatchObject({ code });
    if (typeof message === 'string') expect(failure.message).toBe(message);
    else expect(failure.message).toMatch(message);
  });
});

describe('on a kept connection', () => {
  test('what comes behind a body is not taken for the next response', async () => {
    const server = await serveRaw((socket, requestNumber) => {
      socket.write(`${OK}${LENGTH}${BODY}`);
      if (requestNumber === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    });
    const fetcher = openFetcher();
    for (let i = 0; i < 3; i++) {
      const outcome = await fetcher.fetch({ url: server.origin });
      if (outcome.status === 'response')
        expect(Buffer.from(await outcome.body.bytes()).toString()).toBe('hello');
      else expect(outcome.isStaleConnection).toBe(true);
    }
  });

  test('junk that is not HTTP is separated from the next response, which is requested again', async () => {
    const server = await serveRaw((socket, requestNumber) => {
      if (requestNumber === 1) socket.write(`${OK}${LENGTH}${BODY}`);
      else socket.write(`junk${OK}${LENGTH}${BODY}`);
    });
    const fetcher = openFetcher();
    for (let i = 1; i <= 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: server.origin, repeatsStale: true }));
      expect(Buffer.from(await response.body.bytes()).toString()).toBe('hello');
      expect(server.connections()).toBe(i);
    }
  });

  test.each([
    ['a length and chunks', `${OK}${LENGTH}${CHUNKED}\r\n${CHUNKS}`, 2],
    ['an unknown transfer coding', `${OK}${LENGTH}Transfer-Encoding: utf-8\r\n${BODY}`, 2],
    ['bytes before the header', `xx${OK}${LENGTH}${BODY}`, 2],
    ['blanks behind the size of a chunk', `${OK}${CHUNKED}\r\n${CHUNKS.replace('5', '5  ')}`, 2],
    ['LF behind the size of a chunk', `${OK}${CHUNKED}\r\n${CHUNKS.replace('\r', '')}`, 2],
    ['LF behind a chunk', `${OK}${CHUNKED}\r\n${CHUNKS.replace('hello\r', 'hello')}`, 2],
    ['LF behind trailers', `${OK}${CHUNKED}\r\n5\r\nhello\r\n0\r\nX: a\n\r\n`, 2],
    ['chunks', `${OK}${CHUNKED}\r\n${CHUNKS}`, 1],
    ['an extension', `${OK}${CHUNKED}\r\n${CHUNKS.replace('5', '5 ;a=b')}`, 1],
    ['trailers', `${OK}${CHUNKED}\r\n5\r\nhello\r\n0\r\nX: a\r\n\r\n`, 1],
  ])('after %s, two requests take connections: %#', async (_name, bytes, connections) => {
    const server = await serveRaw((socket) => void socket.write(bytes, 'latin1'));
    const fetcher = openFetcher();
    for (let i = 0; i < 2; i++) {
      const response = asResponse(await fetcher.fetch({ url: server.origin }));
      expect(Buffer.from(await response.body.bytes()).toString()).toBe('hello');
    }
    expect(server.connections()).toBe(connections);
  });

  test('a length that is no number ends with the connection, which is not used again', async () => {
    const server = await serveRaw((socket) => {
      socket.write(`${OK}Content-Length: five\r\n${BODY}`);
      socket.end();
    });
    const fetcher = openFetcher();
    for (let i = 0; i < 2; i++) asResponse(await fetcher.fetch({ url: server.origin }));
    expect(server.connections()).toBe(2);
  });
});

test('a repaired header is clean, whatever the bytes', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
      ' folded',
      'a/b: c',
      ': x',
      'x',
      'X-A: \0',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const head = fc
    .tuple(fc.constantFrom('HTTP/1.1 200 OK', 'HTTP/1.0 404', 'HTTP 200'), fc.array(line))
    .map(([status, lines]) => `${[status, ...lines].join('\r\n')}\r\n\r\n`);
  fc.assert(
    fc.property(head, (text) => {
      let repaired: ReturnType<typeof repairHead>;
      try {
        repaired = repairHead(Buffer.from(text, 'latin1').toString('latin1'));
      } catch (error) {
        expect(error).toMatchObject({ name: 'KnownFailure' });
        return;
      }
      const bytes = repaired.bytes.toString('latin1');
      expect(cleanFraming(bytes)).toEqual({ isChunked: repaired.isChunked });
      expect(bytes.match(/\r\ncontent-length:/g)?.length ?? 0).toBeLessThan(2);
    }),
    { numRuns: 2000 },
  );
});
