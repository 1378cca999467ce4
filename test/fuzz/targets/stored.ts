/** Stored data and messages between workers: parts of ledgers, messages, seeds. */
import assert from 'node:assert/strict';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { blockPayload, encodeBlocks, listBlocks } from '../../../shared/core/frontier/block-list.ts';
import { CorruptBytes } from '../../../shared/core/frontier/bytes.ts';
import { buildKeyRun, decodeKeyRun, encodeKeyRun, findKey } from '../../../shared/core/frontier/key-run.ts';
import type { Link } from '../../../shared/core/frontier/message.ts';
import { decodeMessage, encodeMessage } from '../../../shared/core/frontier/message-codec.ts';
import { decodeRecords } from '../../../shared/core/frontier/record-block.ts';
import { decodeSegment, encodeSegment } from '../../../shared/core/frontier/segment.ts';
import type { UrlRecord } from '../../../shared/core/frontier/url-record.ts';
import { InvalidLinkMessage, parseLinkText } from '../../../shared/engines/aws/queues/link-message.ts';
import { parseMessageText } from '../../../shared/engines/aws/queues/message-text.ts';
import type { FuzzTarget } from '../target.ts';

const HOST = 'example.org';
const SEEN = 1_700_000_000_000;

const RECORDS: readonly UrlRecord[] = [
  {
    url: `https://${HOST}/`,
    state: 'waiting',
    depth: 0,
    level: 0,
    seenAt: SEEN,
    redirects: 0,
    attempts: 0,
    dueAt: 0,
  },
  {
    ...{
      url: `http://${HOST}/a/b?c`,
      state: 'fetched',
      depth: 3,
      level: 2,
      via: `https://${HOST}/`,
      seenAt: SEEN,
    },
    ...{ redirects: 1, attempts: 2, dueAt: SEEN, kind: 'sitemap' },
    result: {
      ...{
        fetchedAt: SEEN + 5,
        httpStatus: 200,
        contentType: 'text/html',
        digest: new Uint8Array(20),
        cause: { code: 'other', text: 'ü' },
      },
      ...{ location: { file: 'a.warc.gz', offset: 5, length: 6 }, bodyBytes: 7, tookMs: 8 },
    },
  },
];
const LINKS: readonly Link[] = [
  { url: 'https://a.test/', depth: 1, via: 'https://b.test/', isSeed: true },
  { url: 'https://a.test/b', depth: 2, redirects: 1, kind: 'requisite', level: 3 },
];

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
/** Numbers as these formats write them: small and large, whole and cut off. */
const NUMBERS = [
  ...[
    '\x00',
    '\x01',
    '\x02',
    '\x04',
    '\x08',
    '\x10',
    '\x20',
    '\x40',
    '\x7f',
    '\x80\x01',
    '\xff\x01',
    '\x80\x80\x04',
    '\x80\x80\x80\x01',
  ],
  ...[
    '\xff\xff\xff\xff\xff\xff\xff\x0f',
    '\xff\xff\xff\xff\xff\xff\xff\xff',
    '\x80',
    '\xff',
    '/',
    '/a',
    '/a/b',
    'text/html',
    '\xe9',
  ],
];

const isCorrupt = (error: unknown): boolean => error instanceof CorruptBytes;

const binary = (
  name: string,
  start: string,
  valid: string,
  more: Partial<FuzzTarget> & Pick<FuzzTarget, 'run'>,
): FuzzTarget => ({
  name,
  tokens: [
    ...NUMBERS,
    valid,
    valid.slice(0, valid.length / 2),
    valid.slice(valid.length / 2),
    valid.slice(0, 8),
  ],
  encoding: 'latin1',
  maxBytes: 256 * 1024,
  maxUsPerByte: 2,
  maxHeldPerByte: 512,
  prepare: (document) =>
    Buffer.concat([Buffer.from(start, 'latin1'), deflateRawSync(document, { level: 1 })]),
  isDocumented: isCorrupt,
  ...more,
});

/** The value, if the bytes hold one; CorruptBytes is the only other end. */
function valueIn<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isCorrupt(error)) return undefined;
    throw error;
  }
}

/** Everything of a record is used, as its readers do. */
const used = (records: readonly UrlRecord[]): number =>
  records.reduce((sum, { url, via = '' }) => sum + url.charCodeAt(url.length >> 1) + via.charCodeAt(0), 0);

const SEGMENT = encodeSegment(HOST, RECORDS);
const BLOCKS = Buffer.concat(encodeBlocks(HOST, RECORDS, { blockRecords: 512, isMixed: true }));
const MESSAGE = encodeMessage({ kind: 'links', crawl: 'c', links: LINKS }, Number.POSITIVE_INFINITY);
const MAX_LINKS = 100_000;

export const TARGETS: readonly FuzzTarget[] = [
  binary('ledger segments', '\x53\x02', latin1(inflateRawSync(SEGMENT.subarray(2))), {
    run(bytes) {
      const records = decodeSegment(HOST, bytes);
      return [records, used(records)];
    },
    check(bytes) {
      const records = valueIn(() => decodeSegment(HOST, bytes));
      for (const { url, depth, seenAt, result } of records ?? []) {
        assert.ok(url.startsWith('http') && depth >= 0 && Number.isFinite(seenAt), `${url} is no record`);
        assert.equal(typeof (result?.location?.file ?? ''), 'string');
      }
    },
  }),
  binary('ledger segments, any bytes', '', latin1(SEGMENT), {
    frames: [['\x53\x02', '']],
    prepare: (document) => document,
    run: (bytes) => decodeSegment(HOST, bytes),
  }),
  binary('ledger blocks', '', latin1(BLOCKS), {
    prepare: (document) => document,
    run: (bytes) =>
      listBlocks(bytes).map(
        (header) => decodeRecords(HOST, blockPayload(bytes, header)).length === header.count,
      ),
  }),
  binary(
    'ledger keys',
    '',
    latin1(encodeKeyRun(buildKeyRun(Uint32Array.of(5, 6, 7, 8), Uint8Array.of(1, 2), 2))),
    {
      prepare: (document) => document,
      run(bytes) {
        const run = decodeKeyRun(bytes);
        return [run, findKey(run, 5, 6), findKey(run, 1, 1)];
      },
    },
  ),
  binary('messages', '\x4d\x02\x01', latin1(MESSAGE.subarray(3)), {
    run: (bytes) => decodeMessage(bytes, MAX_LINKS),
    check(bytes) {
      const message = valueIn(() => decodeMessage(bytes, MAX_LINKS));
      if (message?.kind !== 'links') return;
      const again = decodeMessage(encodeMessage(message));
      assert.deepEqual(again, {
        ...message,
        links: [...message.links].sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0)),
      });
    },
  }),
  binary('messages, any bytes', '', latin1(MESSAGE), {
    frames: [
      ['\x4d\x02\x01', ''],
      ['\x4d\x02\x00', ''],
    ],
    prepare: (document) => document,
    run: (bytes) => decodeMessage(bytes, MAX_LINKS),
  }),
  {
    name: 'messages as text',
    tokens: [
      ...[
        'a.test ',
        ' ',
        'TQIB',
        'TQIA',
        Buffer.from(MESSAGE).toString('base64'),
        '=',
        '==',
        'AAAA',
        '+',
        '/',
        'x',
        '\n',
      ],
      `a.test ${Buffer.from(MESSAGE).toString('base64')}`,
    ],
    maxBytes: 256 * 1024,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 64,
    run: (input) => parseMessageText(input.toString()),
    isDocumented: isCorrupt,
  },
  {
    name: 'messages of people',
    tokens: [
      ...[
        '{"url":"',
        '"}',
        '{"urls":["',
        '","',
        '"]}',
        '{"crawl":"',
        '"config":{',
        '"wakeAll":"',
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
      ],
      ...[
        'https://a{#}.test/ ',
        'a.test',
        ' # ',
        '#',
        '\n',
        '\r\n',
        'AAAA',
        '=',
        '"urls":',
        '"x{#}":1,',
        '\\u0000',
        'https://a.test/ #',
      ],
    ],
    frames: [
      ['https://a.test/ ', ''],
      ['https://a.test/ #', ''],
      ['{"urls":[', ']}'],
      ['{"config":{', '},"url":"a.test"}'],
      ['{"url":"a.test","config":', '}'],
    ],
    nests: ['[', '{"a":'],
    maxBytes: 256 * 1024,
    maxUsPerByte: 0.6,
    maxHeldPerByte: 128,
    run: (input) => parseLinkText(input.toString()),
    isDocumented: (error) => error instanceof InvalidLinkMessage,
  },
];
