import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createDocumentThreads, type DocumentThreads } from '../../shared/media-thread/document-threads.ts';
import { PDF_TYPE, wholeTypes } from '../../shared/parser/whole-types.ts';
import { makeDocx, makePdf, paragraph, pdfOf, pdfText } from '../media/made-documents.ts';

const DOCX = wholeTypes('docx')[0]!;
const open: DocumentThreads[] = [];
const threadsOf = (...options: Parameters<typeof createDocumentThreads>) => {
  const threads = createDocumentThreads(...options);
  open.push(threads);
  return threads;
};
afterEach(async () => {
  for (const threads of open.splice(0)) await threads.close();
});

const job = (mediaType: string, more = {}) => ({
  url: 'https://a.test/x',
  mediaType,
  maxBytes: 1e7,
  ...more,
});
const read = (threads: DocumentThreads, mediaType: string, body: Uint8Array, more = {}) =>
  threads.read(job(mediaType, more), async () => body);
const pdf = makePdf([{ content: pdfText(['hello']) }]);

/** A PDF with a page of this content. */
function packedPdf(content: Buffer): Buffer {
  const stream = deflateSync(content, { level: 1 }).toString('latin1');
  const font = '<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources${font}>>`,
    `<</Length ${stream.length}/Filter/FlateDecode>>stream\n${stream}\nendstream`,
    '<<>>',
  ]);
}

/** Three million pieces of text. */
const longPdf = () => packedPdf(Buffer.from(`BT /F1 1 Tf ${'(x) Tj '.repeat(3_000_000)}ET`));
const largePdf = () => packedPdf(Buffer.alloc(200_000_000, ' '));

test('documents are read one after the other, their coding undone, and the caller keeps the bytes', async () => {
  const threads = threadsOf({ limitMs: 60_000 });
  const bytes = new Uint8Array(pdf);
  const answers = await Promise.all([
    read(threads, PDF_TYPE, bytes),
    read(threads, DOCX, gzipSync(makeDocx(paragraph('a document'))), { contentEncoding: 'gzip' }),
  ]);
  expect(answers).toMatchObject([{ content: { text: 'hello' } }, { content: { text: 'a document' } }]);
  expect(bytes).toEqual(new Uint8Array(pdf));
});

test('what cannot be read has a fault', async () => {
  const threads = threadsOf({ limitMs: 60_000 });
  expect(await read(threads, PDF_TYPE, Buffer.from('x'))).toEqual({ fault: 'it is no PDF, or is damaged' });
  expect(await read(threads, 'image/png', pdf)).toEqual({ fault: 'there is no module for image/png' });
  expect(await read(threads, PDF_TYPE, pdf, { maxBytes: 10 })).toMatchObject({
    fault: expect.stringMatching(/more than 10 bytes/),
  });
  const gone = threads.read(job(PDF_TYPE), () => Promise.reject(new Error('the body is gone')));
  expect(await gone).toEqual({ fault: 'the body is gone' });
  expect(await read(threads, PDF_TYPE, pdf)).toMatchObject({ content: { text: 'hello' } });
});

test('one that takes too long ends its thread alone', async () => {
  const threads = threadsOf({ limitMs: 2000 });
  const long = await read(threads, PDF_TYPE, longPdf());
  expect(long).toEqual({ fault: 'reading it took more than 1 s', isLimit: true });
  const patient = threadsOf({ limitMs: 60_000 });
  expect(await read(patient, PDF_TYPE, pdf)).toMatchObject({ content: { text: 'hello' } });
});

test('others wait no longer than they may', async () => {
  const threads = threadsOf({ limitMs: 60_000 });
  // Time passes by hand: the first document is not read in time, however much of it passes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const long = read(threads, PDF_TYPE, longPdf());
  const waiting = read(threads, PDF_TYPE, pdf);
  await vi.advanceTimersByTimeAsync(24_000);
  expect(await waiting).toEqual({ fault: 'other documents were being read for 24 s', isLimit: true });
  await threads.close();
  expect(await long).toEqual({ fault: 'the thread that read it has ended' });
});

test('one that takes too much memory ends its thread alone', async () => {
  const threads = threadsOf({ limitMs: 60_000, memoryMb: 24 });
  expect(await read(threads, PDF_TYPE, largePdf())).toMatchObject({
    fault: expect.stringMatching(/more than \d+ MiB of memory/),
  });
});

test('after the end nothing is read', async () => {
  const threads = threadsOf({ limitMs: 60_000 });
  await threads.close();
  expect(await read(threads, PDF_TYPE, pdf)).toEqual({ fault: 'the reading of documents has ended' });
});
