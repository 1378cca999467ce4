/** WARC files and their indexes, of whatever writer, in whatever state; HTTP heads in them. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { captureLineStart, scanCaptures } from '../../../shared/core/archive/cdxj.ts';
import { createWarcCheck, type WarcFault } from '../../../shared/core/archive/check-warc.ts';
import { createDechunker } from '../../../shared/core/archive/dechunker.ts';
import { parseDigest } from '../../../shared/core/archive/digest.ts';
import { findTitle } from '../../../shared/core/archive/find-title.ts';
import { bodyPacking } from '../../../shared/core/archive/http-head.ts';
import {
  decodeMember,
  NotWarc,
  parseRecordHead,
  recordHeadLength,
} from '../../../shared/core/archive/read-warc.ts';
import { type ReadAt, scanMembers } from '../../../shared/core/archive/scan-members.ts';
import { repairFolder } from '../../../shared/engines/local/archive/archive-repair.ts';
import { captureOf, joined, RECORDS } from '../../core/archive/captures.ts';
import { type FuzzTarget, MB } from '../target.ts';

const URL_OF_PAGE = 'http://example.test/';
const RESPONSE = [
  'WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.test/\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n',
  'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000{#}>\r\nContent-Type: application/http;msgtype=response\r\n',
].join('');
const HTTP = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>x';
/** Between two of these characters stands what is a gzip member of its own; other bytes are as they are. */
const MARK = '\xa7';

/** A member within a stored block of the member before it: repeated, each of them reaches to the end of the file. */
const WITHIN_ANOTHER = (() => {
  const head = 'WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 99999999\r\n\r\n';
  const stored = (block: string) =>
    `\x00${String.fromCharCode(block.length, 0, block.length ^ 0xff, 0xff)}${block}`;
  return stored(`\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03${stored(head)}`);
})();

const WARC = [
  WITHIN_ANOTHER,
  ...[MARK, MARK + MARK, `${RESPONSE}Content-Length: ${HTTP.length}\r\n\r\n${HTTP}\r\n\r\n`, RESPONSE, HTTP],
  ...[
    'WARC/1.1\r\n',
    'WARC/1.0\r\n',
    'WARC/2.0\r\n',
    'WARC-Type: ',
    'WARC-Type: {#}\r\n',
    'warcinfo\r\n',
    'revisit\r\n',
    'metadata\r\n',
  ],
  ...[
    'Content-Length: 0\r\n',
    'Content-Length: ',
    'WARC-Concurrent-To: <urn:{#}>\r\n',
    'WARC-Refers-To: <urn:{#}>\r\n',
    'WARC-Record-ID: <urn:{#}>\r\n',
  ],
  ...[
    'WARC-Block-Digest: sha1:',
    'WARC-Payload-Digest: sha256:',
    'WARC-Truncated: length\r\n',
    'Transfer-Encoding: chunked\r\n',
  ],
  ...[
    '\r\n',
    '\r\n\r\n',
    ' folded\r\n',
    '\n',
    'a:b\r\n',
    'x{#}: y\r\n',
    ': ',
    '\x1f\x8b\x08\x00',
    '\x1f\x8b',
    '\x00',
    '\xff',
    'title: ',
  ],
  ...[
    '5\r\nabcde\r\n',
    '0\r\n\r\n',
    'ffffffffffff\r\n',
    `${MARK}WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n${MARK}`,
  ],
];

/** Members and bytes between them, as {@link MARK} says. */
function packed(document: Buffer): Buffer {
  const parts = document.toString('latin1').split(MARK);
  /** Most documents have many equal members. */
  const members = new Map<string, Buffer>();
  const memberOf = (part: string): Buffer => {
    // zlib's buffers have 16 KB, however small a member is: a copy has its own bytes only.
    const member = members.get(part) ?? Buffer.from(gzipSync(Buffer.from(part, 'latin1'), { level: 1 }));
    members.set(part, member);
    return member;
  };
  return Buffer.concat(
    parts.map((part, i) =>
      i % 2 === 1 && i < parts.length - 1 ? memberOf(part) : Buffer.from(part, 'latin1'),
    ),
  );
}

const readOf =
  (file: Buffer): ReadAt =>
  async (offset, length) =>
    file.subarray(offset, offset + length);

async function faultsOf(file: Buffer): Promise<WarcFault[]> {
  const faults: WarcFault[] = [];
  const check = createWarcCheck((fault) => faults.push(fault));
  await check.file('a.warc.gz', readOf(file));
  check.end();
  return faults;
}

/** How many members. They must be released one by one: each holds a buffer of 64 KB. */
async function scanned(file: Buffer): Promise<number> {
  let count = 0;
  for await (const _ of scanMembers(readOf(file))) count++;
  return count;
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const isNotWarc = (error: unknown): boolean => error instanceof NotWarc;

const warc = (name: string, run: (file: Buffer) => unknown, more: Partial<FuzzTarget> = {}): FuzzTarget => ({
  name,
  tokens: WARC,
  frames: [
    [MARK, MARK],
    [MARK + RESPONSE, `\r\n\r\n${MARK}`],
    [`${MARK}WARC/1.1\r\n`, `Content-Length: 0\r\n\r\n\r\n\r\n${MARK}`],
  ],
  encoding: 'latin1',
  maxBytes: MB,
  // A member costs 20 to 50 us, however small: an inflate stream and its buffer. The smallest has some 20
  // bytes.
  maxUsPerByte: 4,
  maxHeldPerByte: 64,
  prepare: packed,
  run,
  isDocumented: isNotWarc,
  ...more,
});

/** The document as a capture: a head of its lines, a body of all. */
function captureOfDocument(document: Buffer) {
  const [statusText = '', ...lines] = document.toString('latin1').split(/\r?\n/);
  const headers = lines.slice(0, 50).map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(0, colon)) || 'x', line.slice(colon + 1)];
  });
  return captureOf({ statusText, headers, body: document });
}

/**
 * A file that we write has no error. If any byte of it is changed, the result is the same, or the change is
 * reported.
 */
async function checkWritten(document: Buffer): Promise<void> {
  const { members } = await encodeCapture(captureOfDocument(document), RECORDS);
  const file = Buffer.concat(await Promise.all(members.map(joined)));
  assert.deepEqual(
    (await faultsOf(file)).filter(({ severity }) => severity === 'error'),
    [],
  );
  const [response, request] = await listed(scanMembers(readOf(file)));
  assert.ok(response && request, 'two records expected');
  const { block } = decodeMember(file.subarray(0, response.length));
  assert.ok(
    Buffer.from(block)
      .subarray(block.length - document.length)
      .equals(document),
    'another body',
  );
  const seed = document.reduce((sum, byte) => sum * 31 + byte, 7) >>> 0;
  const damaged = Buffer.from(file);
  damaged[seed % file.length] = damaged[seed % file.length]! ^ (1 << (seed % 8));
  if ((await faultsOf(damaged)).length > 0) return;
  const again = await listed(scanMembers(readOf(damaged)));
  assert.deepEqual(
    again.map(({ record, blockStart }) => [record, Buffer.from(blockStart)]),
    [response, request].map(({ record, blockStart }) => [record, Buffer.from(blockStart)]),
  );
}

/** Repairs a file after a crash: returns files without a fault, of captures that were there. */
async function repaired(file: Buffer): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'strand-fuzz-'));
  try {
    await writeFile(join(folder, 'a-00000.warc.gz.open'), file);
    await repairFolder({
      folder,
      indexFolder: folder,
      pattern: /^a-\d+\.warc\.gz$/,
      journal: { load: () => [], save: () => {}, close: () => {} },
      warn: () => {},
    });
    const names = (await readdir(folder)).filter((name) => name.includes('.warc'));
    return await Promise.all(names.map((name) => readFile(join(folder, name))));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const TARGETS: readonly FuzzTarget[] = [
  warc('warc members', scanned),
  // Not swept: that takes minutes. After each broken member the next one is searched for and read again: 250
  // us for 50 bytes, on a busy machine. The growth limit holds as everywhere.
  warc('warc check', faultsOf, { isDocumented: () => false, maxUsPerByte: 12, isSwept: false }),
  warc('cdxj of a warc', (file) => listed(scanCaptures(readOf(file)))),
  warc('warc title', (file) => findTitle(readOf(file), URL_OF_PAGE, { offset: 0, length: file.length }), {
    isDocumented: () => false,
  }),
  warc('warc repair', repaired, {
    maxBytes: 256 * 1024,
    // Each member is inflated twice, and files are written and read again: 6 us a byte on a busy machine. Not
    // swept: that takes minutes.
    maxUsPerByte: 15,
    isSwept: false,
    isDocumented: () => false,
    async check(file) {
      for (const whole of await repaired(file)) {
        assert.ok(file.subarray(0, whole.length).equals(whole), 'not the beginning of the file');
        await scanned(whole);
      }
    },
  }),
  warc(
    'warc record',
    (bytes) => {
      const length = recordHeadLength(bytes);
      return [
        parseRecordHead(bytes.subarray(0, length ?? bytes.length)),
        parseDigest(bytes.toString('latin1')),
      ];
    },
    { prepare: (document) => document },
  ),
  warc(
    'chunked body',
    (bytes) => {
      let size = 0;
      const dechunker = createDechunker((chunk) => (size += chunk.length));
      for (let at = 0; at < bytes.length; at += 1000) dechunker.write(bytes.subarray(at, at + 1000));
      return [size, dechunker.isWhole()];
    },
    {
      prepare: (document) => document,
      tokens: ['0\r\n', '\r\n', '5\r\nabcde\r\n', 'a', 'ff', ';', '\n', '\r', ' ', 'A\r\n0123456789\r\n'],
    },
  ),
  {
    name: 'http heads',
    tokens: [
      ...[
        'OK\r\n',
        'Content-Type: text/html\r\n',
        'Content-Length: 5\r\n',
        'content-length: {#}\r\n',
        'Transfer-Encoding: chunked\r\n',
      ],
      ...[
        'Content-Encoding: ',
        'Content-Type: ',
        'image/png',
        ' ',
        '\t',
        '\xa0',
        ':',
        '\r',
        '\n',
        '\0',
        '\x7f',
        'x{#}: y\r\n',
        '\xff',
      ],
    ],
    encoding: 'latin1',
    // The largest record that a server may send.
    maxBytes: 64 * 1024,
    maxUsPerByte: 2,
    maxHeldPerByte: 64,
    async run(document) {
      const capture = captureOfDocument(document);
      const fields = {
        'WARC-Type': 'response',
        'WARC-Record-ID': '<a>',
        'WARC-Date': '2026-01-02T03:04:05Z',
      };
      return [
        bodyPacking(capture.headers),
        captureLineStart({ ...fields, 'WARC-Target-URI': URL_OF_PAGE }, document),
        await encodeCapture(capture, RECORDS),
      ];
    },
    check: checkWritten,
  },
];
