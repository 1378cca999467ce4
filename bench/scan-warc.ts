/**
 * What compaction pays for each capture when it checks WARC objects and makes their index: CPU and wall time of a scan,
 * of files held in memory.
 *
 *     node bench/scan-warc.ts [CAPTURES]
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { encodeCapture } from '../shared/archive/capture.ts';
import { scanCaptures } from '../shared/archive/cdxj.ts';
import { scanMembers } from '../shared/archive/scan-members.ts';
import type { FetchedResponse } from '../shared/ports.ts';

const CAPTURES = Number(process.argv[2] ?? 500);
const WORDS = 'alpha beta gamma delta news review price garden water stone light paper house river'.split(
  ' ',
);

/** Always the same numbers from 0 to 2^32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}
const random = createRandom(1);

function html(bytes: number): Buffer {
  const parts: string[] = [];
  for (let size = 0; size < bytes; ) {
    const text = `<p class=${WORDS[(random() >>> 8) % WORDS.length]}>${random()} ${WORDS[(random() >>> 8) % WORDS.length]}</p>\n`;
    parts.push(text);
    size += text.length;
  }
  return Buffer.from(parts.join(''));
}

function noise(bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) body.writeUInt32LE(random(), at);
  return body;
}

function responseOf(n: number, coding: string | undefined, type: string, bytes: Buffer): FetchedResponse {
  const headers: [string, string][] = [
    ['Content-Type', type],
    ['Server', 'bench'],
    ['Date', 'Fri, 02 Jan 2026 03:04:05 GMT'],
    ...(coding ? ([['Content-Encoding', coding]] as [string, string][]) : []),
  ];
  return {
    status: 'response',
    url: `https://www.example.org/${n % 20}/page-${n}.html`,
    startedAt: 0,
    endedAt: 100,
    httpStatus: 200,
    statusText: 'OK',
    headers,
    requestHead: Buffer.from(`GET /${n % 20}/page-${n}.html HTTP/1.1\r\nHost: www.example.org\r\n\r\n`),
    ipAddress: '127.0.0.1',
    body: {
      size: bytes.length,
      sha1: createHash('sha1').update(bytes).digest(),
      bytes: async () => bytes,
      async *chunks() {
        yield bytes;
      },
      dispose: async () => {},
    },
  };
}

/** Of the web as it comes: most pages are sent compressed, some plain; and images. */
const KINDS: Readonly<Record<string, (n: number) => FetchedResponse>> = {
  'pages sent compressed': (n) => responseOf(n, 'gzip', 'text/html', gzipSync(html(60_000))),
  'pages sent plain': (n) => responseOf(n, undefined, 'text/html', html(60_000)),
  'images of 150 KB': (n) => responseOf(n, undefined, 'image/jpeg', noise(150_000)),
  'images of 2 MB': (n) => responseOf(n, undefined, 'image/jpeg', noise(2_000_000)),
};

async function fileOf(make: (n: number) => FetchedResponse, count: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let n = 0; n < count; n++)
    for (const member of (await encodeCapture(make(n))).members)
      for await (const piece of member) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Milliseconds of CPU and of time for each of `count`. */
async function measure(items: AsyncIterable<unknown>, count: number) {
  const started = process.cpuUsage();
  const from = performance.now();
  for await (const _ of items);
  const { user, system } = process.cpuUsage(started);
  return { cpu: (user + system) / 1000 / count, time: (performance.now() - from) / count };
}

const rows = [];
for (const [kind, make] of Object.entries(KINDS)) {
  const count = kind.includes('MB') ? Math.ceil(CAPTURES / 10) : CAPTURES;
  const file = await fileOf(make, count);
  const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
  const members = await measure(scanMembers(read), count);
  const captures = await measure(scanCaptures(read), count);
  rows.push({
    captures: `${count} ${kind}`,
    MB: Math.round(file.length / 1e6),
    'members: ms CPU a capture': Number(members.cpu.toFixed(3)),
    'members a second': Math.round(2000 / members.time),
    'with index: ms CPU a capture': Number(captures.cpu.toFixed(3)),
    'captures a second': Math.round(1000 / captures.time),
  });
}
console.table(rows);
