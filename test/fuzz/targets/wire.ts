/** Responses as they come over a connection: headers, and the chunks of bodies. */
import assert from 'node:assert/strict';
import { ChunkReader } from '../../../shared/crawler/fetcher/chunk-reader.ts';
import { KnownFailure } from '../../../shared/crawler/fetcher/failure.ts';
import { cleanFraming, repairHead } from '../../../shared/crawler/fetcher/repair-head.ts';
import { type FuzzTarget, MB } from '../target.ts';

/** The default of `maxHeaderBytes`. */
const MAX_HEADER_BYTES = 262_144;
/** Bytes that a socket gives at once. */
const READ_BYTES = 65_536;

function readChunks(bytes: Buffer, step: number) {
  const reader = new ChunkReader(MAX_HEADER_BYTES);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length && reader.fault === undefined; at += step)
    pieces.push(Buffer.from(reader.read(bytes.subarray(at, at + step))));
  return { reader, read: Buffer.concat(pieces) };
}

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'response header',
    tokens: [
      ...[
        'HTTP/1.1 200 OK\r\n',
        'HTTP/1.0 ',
        'HTTP',
        ' 200',
        'OK',
        '\r\n',
        '\n',
        '\r',
        ' ',
        '\t',
        '\0',
        '\x7f',
        '\xff',
        ':',
      ],
      ...[
        'Content-Length: 5\r\n',
        'content-length: ',
        '{#}',
        ',',
        '+',
        '0',
        'x{#}: y\r\n',
        ' folded\r\n',
        'x',
      ],
      ...[
        'Transfer-Encoding: chunked\r\n',
        'Transfer-Encoding: ',
        'chunked',
        'identity',
        'gzip',
        'Connection: keep-alive\r\n',
      ],
    ],
    frames: [
      ['HTTP/1.1 200 OK\r\nContent-Length: ', '\r\n'],
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: ', '\r\n'],
      ['HTTP/1.1 ', '\r\n'],
    ],
    encoding: 'latin1',
    maxBytes: MAX_HEADER_BYTES,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (head) => {
      const text = head.toString('latin1');
      return cleanFraming(text) ?? repairHead(text);
    },
    isDocumented: (error) => error instanceof KnownFailure,
    check(head) {
      let repaired: ReturnType<typeof repairHead>;
      try {
        repaired = repairHead(head.toString('latin1'));
      } catch (error) {
        assert(error instanceof KnownFailure);
        return;
      }
      const { isChunked, bytes } = repaired;
      assert.deepEqual(cleanFraming(bytes.toString('latin1')), { isChunked }, 'the parser reads it');
    },
  },
  {
    name: 'chunks',
    tokens: [
      ...[
        '0\r\n',
        '\r\n',
        '5\r\nabcde\r\n',
        '1\r\na\r\n',
        'A\n0123456789\n',
        '3 \r\nabc\r\n',
        '2;a="b"\r\nxy\r\n',
      ],
      ...['0', 'f', '{#}', ';', 'x', '\n', '\r', ' ', '\t', 'X: y\r\n', '\xff', '\0', '0\r\n\r\n'],
    ],
    frames: [
      ['1;', '\r\na\r\n'],
      ['0\r\n', '\r\n\r\n'],
      ['3', '\r\nabc\r\n'],
    ],
    encoding: 'latin1',
    maxBytes: MB,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 8,
    run: (body) => readChunks(body, READ_BYTES),
    check(body) {
      const whole = readChunks(body, READ_BYTES);
      const pieces = readChunks(body, 3);
      assert.equal(
        pieces.read.toString('latin1'),
        whole.read.toString('latin1'),
        'the same, however it comes',
      );
      assert.equal(pieces.reader.fault === undefined, whole.reader.fault === undefined);
      const again = readChunks(whole.read, READ_BYTES);
      assert.equal(again.reader.fault, undefined, 'what was read can be read again');
      assert.equal(again.read.toString('latin1'), whole.read.toString('latin1'));
    },
  },
];
