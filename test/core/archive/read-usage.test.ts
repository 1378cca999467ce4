import { expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { encodeMetadata } from '../../../shared/core/archive/metadata.ts';
import { readUsage } from '../../../shared/core/archive/read-usage.ts';
import type { ReadAt } from '../../../shared/core/archive/scan-members.ts';
import type { UsageStatement } from '../../../shared/core/usage/usage-statement.ts';
import { captureOf, joined, RECORDS } from './captures.ts';

const URL = 'http://example.test/';
const STATED: readonly UsageStatement[] = [
  { source: 'robots.txt', signal: 'content-usage', value: 'search=y, train-ai=n' },
  { source: 'header', signal: 'tdm-policy', value: 'https://example.test/a: b' },
  { source: 'html', signal: 'robots', value: 'noai' },
];

/** A page, its request and its metadata record, then another page; the reads of the file. */
async function archived(usage?: readonly UsageStatement[], requestHead = '', outlinks = 0) {
  const capture = captureOf({
    url: URL,
    body: Buffer.from('a page'),
    requestHead: Buffer.from(`GET / HTTP/1.1\r\nHost: example.test\r\n${requestHead}\r\n`),
  });
  const { members, responseId, date } = await encodeCapture(capture, RECORDS);
  const parts = await Promise.all(members.map(joined));
  const links = Array.from({ length: outlinks }, (_, i) => ({
    url: `http://example.test/${(i * 7919).toString(36)}/${Math.random()}`,
    kind: 'a' as const,
  }));
  const facts = { concurrentTo: responseId, url: URL, date, hopsFromSeed: 0, usage, links };
  const beside = await joined(encodeMetadata(facts, { ...RECORDS, maxOutlinks: 500 }));
  const file = Buffer.concat([...parts, beside, ...parts]);
  const reads: number[] = [];
  const read: ReadAt = async (offset, length) => {
    const bytes = file.subarray(offset, offset + length);
    reads.push(bytes.length);
    return bytes;
  };
  return { file, reads, read, location: { offset: 0, length: parts[0]!.length } };
}

test('statements are read from the record beside the page, by one read', async () => {
  const { read, location, reads } = await archived(STATED);
  expect(await readUsage(read, URL, location)).toEqual(STATED);
  expect(reads).toHaveLength(1);
});

test('also after a request of 40 KB, and before 500 links', async () => {
  const cookie = Array.from({ length: 4000 }, () => Math.random().toString(36).slice(2, 12)).join('');
  const { read, location } = await archived(STATED, `Cookie: ${cookie}\r\n`, 500);
  expect(await readUsage(read, URL, location)).toEqual(STATED);
});

test('there are none of a page without any, of another URL, and of a file that is cut or damaged', async () => {
  const without = await archived();
  expect(await readUsage(without.read, URL, without.location)).toEqual([]);
  const { file, read, location } = await archived(STATED);
  expect(await readUsage(read, 'http://example.test/other', location)).toEqual([]);
  for (let cut = location.length; cut < location.length + 700; cut += 7) {
    const some: ReadAt = async (offset, length) => file.subarray(0, cut).subarray(offset, offset + length);
    const found = await readUsage(some, URL, location);
    expect([0, STATED.length]).toContain(found.length);
  }
  const damaged = Buffer.from(file);
  damaged.fill(7, location.length + 3);
  expect(
    await readUsage(async (from, length) => damaged.subarray(from, from + length), URL, location),
  ).toEqual([]);
});
