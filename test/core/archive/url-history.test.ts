import { expect, test } from 'vitest';
import type { IndexedCapture } from '../../../shared/core/archive/parse-cdxj-line.ts';
import { historyOf } from '../../../shared/core/archive/url-history.ts';

const capture = (timestamp: string, fields: Partial<IndexedCapture> = {}): IndexedCapture => ({
  url: 'http://example.org/a',
  surt: 'org,example)/a',
  timestamp,
  mime: 'text/html',
  status: 200,
  digest: 'sha1:AAA',
  file: 'a.warc.gz',
  offset: 1,
  length: 100,
  ...fields,
});

test('says of each visit whether it found something else than the one before', () => {
  const captures = [
    capture('20260105000000', { digest: 'sha1:BBB' }),
    capture('20260101000000'),
    capture('20260102000000', { mime: 'warc/revisit' }),
    // A 304: its revisit has no head of its own.
    { ...capture('20260103000000', { mime: 'warc/revisit' }), status: undefined },
    capture('20260104000000', { status: 404, digest: 'sha1:CCC', mime: undefined }),
  ] as IndexedCapture[];
  const history = historyOf('http://example.org/a', captures);
  expect(history.map(({ time, change, httpStatus }) => [time, change, httpStatus])).toEqual([
    ['2026-01-01T00:00:00Z', 'first', 200],
    ['2026-01-02T00:00:00Z', 'same', 200],
    ['2026-01-03T00:00:00Z', 'notModified', 304],
    ['2026-01-04T00:00:00Z', 'changed', 404],
    ['2026-01-05T00:00:00Z', 'changed', 200],
  ]);
  expect(history[0]).toMatchObject({
    digest: 'sha1:AAA',
    warcFile: 'a.warc.gz',
    warcOffset: 1,
    warcLength: 100,
  });
});

test('leaves out other URLs that an index has under the same key', () => {
  const captures = [
    capture('20260101000000'),
    capture('20260102000000', { url: 'https://example.org/a' }),
    capture('20260103000000', { url: 'http://www.example.org/a/' }),
    capture('20260104000000', { url: 'http://example.org:80/a' }),
  ];
  expect(historyOf('http://EXAMPLE.org/a', captures).map(({ time }) => time.slice(0, 10))).toEqual([
    '2026-01-01',
    '2026-01-04',
  ]);
});

test('a page as Markdown is no version of the page as HTML', () => {
  const [html, markdown] = [{ mime: 'text/html' }, { mime: 'text/markdown' }];
  const captures = [
    capture('20260101000000', { ...html, digest: 'sha1:A' }),
    capture('20260102000000', { ...markdown, digest: 'sha1:B' }),
    capture('20260103000000', { ...html, digest: 'sha1:A' }),
    capture('20260104000000', { ...markdown, digest: 'sha1:B' }),
    capture('20260105000000', { mime: 'warc/revisit', digest: 'sha1:B' }),
    capture('20260106000000', { ...markdown, digest: 'sha1:C' }),
    capture('20260107000000', { ...html, digest: 'sha1:D' }),
  ];
  const history = historyOf('http://example.org/a', captures);
  expect(history.map(({ change, form }) => [change, form])).toEqual([
    ['first', undefined],
    ['otherForm', 'markdown'],
    ['same', undefined],
    ['same', 'markdown'],
    ['same', 'markdown'],
    ['changed', 'markdown'],
    ['changed', undefined],
  ]);
});
