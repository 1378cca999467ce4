import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeMetadata, type MetadataFacts } from '../../../shared/core/archive/metadata.ts';
import { decodeMember, fieldOf } from '../../../shared/core/archive/read-warc.ts';
import { joined, RECORDS, REQUEST_ID, RESPONSE_ID } from './captures.ts';

const FACTS: MetadataFacts = {
  concurrentTo: RESPONSE_ID,
  url: 'http://example.test/page',
  date: '2026-01-02T03:04:05.067Z',
  via: 'http://example.test/',
  hopsFromSeed: 2,
  fetchTimeMs: 123.4,
  title: 'A\r\ntitle: of \u0000 Grüße',
  charset: 'utf-8',
  links: [
    { url: 'http://example.test/a', kind: 'a' },
    { url: 'http://example.test/b.png', kind: 'img' },
    { url: 'http://example.test/c', kind: 'refresh' },
    { url: 'http://example.test/d', kind: 'url' },
  ],
};

const block = async (facts: MetadataFacts, maxOutlinks?: number) =>
  Buffer.from(
    decodeMember(await joined(encodeMetadata(facts, { ...RECORDS, maxOutlinks: maxOutlinks ?? 0 }))).block,
  ).toString();

test('what is known of a page becomes this record, byte for byte', async () => {
  const member = encodeMetadata(FACTS, { newId: () => REQUEST_ID, maxOutlinks: 3 });
  const record = gunzipSync(await joined(member)).toString();
  const text =
    'via: http://example.test/\r\nhopsFromSeed: LL\r\nfetchTimeMs: 123\r\ncharsetForLinkExtraction: utf-8\r\n' +
    'title: A title: of   Grüße\r\noutlinkCount: 4\r\noutlink: http://example.test/a L a\r\n' +
    'outlink: http://example.test/b.png E img\r\noutlink: http://example.test/c R refresh\r\n\r\n';
  expect(record.replace(/^WARC-Block-Digest: sha1:[A-Z2-7]{32}\r\n/m, '')).toBe(
    'WARC/1.1\r\n' +
      'WARC-Type: metadata\r\n' +
      `WARC-Record-ID: ${REQUEST_ID}\r\n` +
      'WARC-Date: 2026-01-02T03:04:05.067Z\r\n' +
      'WARC-Target-URI: http://example.test/page\r\n' +
      `WARC-Concurrent-To: ${RESPONSE_ID}\r\n` +
      'Content-Type: application/warc-fields\r\n' +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}\r\n\r\n`,
  );
});

test('a seed says so, links are counted alone unless requested, and what is not known is left out', async () => {
  const { via: _, title: __, charset: ___, ...rest } = FACTS;
  expect(await block({ ...rest, hopsFromSeed: 0 })).toBe(
    'seed: \r\nfetchTimeMs: 123\r\noutlinkCount: 4\r\n\r\n',
  );
  expect(await block({ ...rest, hopsFromSeed: 0, links: undefined })).toBe(
    'seed: \r\nfetchTimeMs: 123\r\n\r\n',
  );
});

test('what the site states about the use of the content has a line each', async () => {
  const { links: _, title: __, charset: ___, ...rest } = FACTS;
  const usage = [
    { signal: 'content-usage', source: 'robots.txt', value: 'search=y, train-ai=n' },
    { signal: 'license', source: 'html', value: 'http://a.test/\r\nx: y' },
  ] as const;
  expect(await block({ ...rest, links: undefined, usage })).toBe(
    'via: http://example.test/\r\nhopsFromSeed: LL\r\nfetchTimeMs: 123\r\n' +
      'usage-preference: robots.txt content-usage: search=y, train-ai=n\r\n' +
      'usage-preference: html license: http://a.test/ x: y\r\n\r\n',
  );
});

test('of a long path from a seed the record has the length, of a long title the beginning, of many links the first 500', async () => {
  const links = Array.from({ length: 2000 }, (_, i) => ({
    url: `http://example.test/${i}`,
    kind: 'a' as const,
  }));
  const lines = (
    await block({ ...FACTS, hopsFromSeed: 1000, title: 'a'.repeat(100_000), links }, 100_000)
  ).split('\r\n');
  expect(lines).toContain(`hopsFromSeed: 1000+${'L'.repeat(50)}`);
  expect(lines).toContain(`title: ${'a'.repeat(1000)}`);
  expect(lines).toContain('outlinkCount: 2000');
  expect(lines.filter((line) => line.startsWith('outlink: '))).toHaveLength(500);
});

test('whatever the web puts into a value, it stays in its line, and the record is whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        title: fc.string({ unit: 'binary' }),
        via: fc.string({ unit: 'binary' }),
        charset: fc.string(),
        url: fc.webUrl(),
      }),
      fc.nat({ max: 40 }),
      async (values, count) => {
        const links = Array.from({ length: count }, () => ({ url: values.via, kind: 'css' as const }));
        const member = encodeMetadata({ ...FACTS, ...values, links }, { ...RECORDS, maxOutlinks: 500 });
        const record = decodeMember(await joined(member));
        expect(fieldOf(record, 'WARC-Target-URI')).toBe(values.url);
        const lines = Buffer.from(record.block)
          .toString()
          .split(/\r\n|\r|\n/);
        expect(lines).toHaveLength(8 + count);
        expect(lines.slice(-2)).toEqual(['', '']);
        for (const line of lines.slice(0, -2)) expect(line).toMatch(/^[A-Za-z]+: /);
      },
    ),
  );
});
