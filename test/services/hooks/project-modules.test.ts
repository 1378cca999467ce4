import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HookError } from '../../../shared/crawler/ports/hook-error-log.ts';
import type { UnreadDocument } from '../../../shared/crawler/turn/page/document-reading.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { createDocumentReading } from '../../../shared/services/hooks/document-reading.ts';
import type {
  MediaDocument,
  MediaModule,
  MediaReading,
} from '../../../shared/services/project/media-module.ts';

const PATIENT = { hookTimeoutMs: 60_000, blockTimeoutMs: 60_000, maxDecodedBytes: 1000 };
/** For what does not end by itself. */
const HASTY = { ...PATIENT, hookTimeoutMs: 200, blockTimeoutMs: 400 };
const BODY = Buffer.from('first\xfcsecond', 'latin1');

function read(
  module: MediaModule['read'],
  { mediaType = 'text/x-own', body = BODY, headers = [] as [string, string][], config = PATIENT } = {},
) {
  const errors: HookError[] = [];
  const modules = [{ mediaTypes: ['text/x-own', 'application/pdf'], read: module }];
  const onFailure = (error: HookError) => errors.push(error);
  const reading = createDocumentReading({ project: { modules, clock: systemClock, onFailure } });
  const page = {
    crawl: { id: 'c', config },
    url: 'https://a.test/x',
    mediaType,
    response: { headers, body: { bytes: async () => body } },
    facts: { charset: 'windows-1252' },
  } as unknown as UnreadDocument;
  return { reading, errors, answer: reading.read(page) };
}

test('a module reads the bytes and the text of a document as often as it likes, and changes nothing of the archived body', async () => {
  const module = (document: MediaDocument) => {
    expect(document.bytes).toBe(document.bytes);
    document.bytes[0] = 0x46;
    return { text: `${document.url} ${document.mediaType} ${document.text}` };
  };
  const { answer } = read(module);
  const text = 'https://a.test/x text/x-own Firstüsecond';
  expect(await answer).toEqual({ content: { text, markdown: text, links: [], metadata: { types: [] } } });
  expect(BODY.toString('latin1')).toBe('first\xfcsecond');
});

test('content codings are undone, up to the limit of decoded bytes', async () => {
  const headers: [string, string][] = [['Content-Encoding', 'gzip']];
  const module = ({ text }: MediaDocument) => ({ text });
  expect(await read(module, { body: gzipSync('abc'), headers }).answer).toMatchObject({
    content: { text: 'abc' },
  });
  expect(await read(module, { body: gzipSync('a'.repeat(2000)), headers }).answer).toHaveProperty('fault');
});

test('a project may replace an included module; other types have none', async () => {
  const { reading, answer } = read(async () => ({ text: 'mine' }), { mediaType: 'application/pdf' });
  expect(await answer).toMatchObject({ content: { text: 'mine' } });
  expect(['text/x-own', 'application/pdf', 'text/html'].map(reading.reads)).toEqual([true, true, false]);
  expect(createDocumentReading().reads('text/x-own')).toBe(false);
});

test('links, metadata and long texts are bounded; what is no metadata is left out', async () => {
  const given: MediaReading = {
    text: 'x'.repeat(9_000_000),
    markdown: '# y',
    links: Array.from({ length: 100_001 }, (_, n) => `/${n}`),
    metadata: { title: 'T', author: 5 as never, pages: 3, types: ['A', 1 as never], other: 'x' } as never,
  };
  const answer = await read(() => given).answer;
  if ('fault' in answer) throw new Error(answer.fault);
  const { content } = answer;
  expect(content).toMatchObject({ markdown: '# y', cut: expect.stringContaining('characters') });
  expect([content.text.length, content.links.length]).toEqual([8 * 1024 * 1024, 100_000]);
  expect(content).toHaveProperty('metadata', { title: 'T', pages: 3, types: ['A'] });
});

describe('a document is not read, with the reason, if its module', () => {
  const never = () => new Promise<MediaReading>(() => {});
  test.each<[string, MediaModule['read'], RegExp, typeof HASTY?]>([
    ['throws', () => JSON.parse('{'), /project's module: .*JSON/],
    ['rejects', () => Promise.reject(new Error('not now')), /not now/],
    ['returns nothing', () => undefined as never, /Expected \{ text/],
    ['returns no text', () => ({ text: 5 }) as never, /Expected \{ text.*got \{ text \}/],
    ['returns links that are none', () => ({ text: '', links: [5] }) as never, /links/],
    ['never ends', never, /200 ms/, HASTY],
    [
      'never comes back',
      () => {
        for (;;);
      },
      /Took longer than 200 ms/,
      HASTY,
    ],
  ])('%s', async (_, module, fault, config) => {
    const { answer, errors } = read(module, { config });
    expect(await answer).toEqual({ fault: expect.stringMatching(fault) });
    expect(errors).toMatchObject([{ source: 'module', url: 'https://a.test/x' }]);
  });
});
