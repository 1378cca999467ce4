/** Exchanges of the web as it comes: most pages are sent compressed, some plain; and images. */
import { gzipSync } from 'node:zlib';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';
import { memoryBody } from '../../../shared/core/outcome/memory-body.ts';
import { stream } from '../../../test/web/random.ts';

const WORDS = 'alpha beta gamma delta news review price garden water stone light paper house river'.split(
  ' ',
);
const random = stream('captures');
const word = () => WORDS[Math.floor(random() * WORDS.length)];

export const KINDS: Readonly<Record<string, (n: number) => FetchedResponse>> = {
  'pages sent compressed': (n) => responseOf(n, 'gzip', 'text/html', gzipSync(html(60_000))),
  'pages sent plain': (n) => responseOf(n, undefined, 'text/html', html(60_000)),
  'images of 150 KB': (n) => responseOf(n, undefined, 'image/jpeg', noise(150_000)),
  'images of 2 MB': (n) => responseOf(n, undefined, 'image/jpeg', noise(2_000_000)),
};

function html(bytes: number): Buffer {
  const parts: string[] = [];
  for (let size = 0; size < bytes; ) {
    const text = `<p class=${word()}>${Math.floor(random() * 2 ** 32)} ${word()}</p>\n`;
    parts.push(text);
    size += text.length;
  }
  return Buffer.from(parts.join(''));
}

function noise(bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) body.writeUInt32LE(Math.floor(random() * 2 ** 32), at);
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
    body: memoryBody(bytes),
  };
}
