import { Worker } from 'node:worker_threads';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { PDF_TYPE, wholeTypes } from '../../../shared/core/parser/whole-types.ts';
import {
  createDocumentThreads,
  type DocumentThreads,
} from '../../../shared/crawler/media-thread/document-threads.ts';
import { endlessPdf, makeDocx, makePdf, paragraph, pdfOf, pdfText } from '../../core/media/made-documents.ts';

const DOCX = wholeTypes('docx')[0]!;
/** More than any document of these tests needs. */
const TIMES = { waitMs: 60_000, cpuMs: 60_000, wallMs: 600_000 };
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
const OTHER = { url: 'https://b.test/x' };
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

const largePdf = () => packedPdf(Buffer.alloc(200_000_000, ' '));

test('documents are read one after the other, their coding undone, and the caller keeps the bytes', async () => {
  const threads = threadsOf({ times: TIMES });
  const bytes = new Uint8Array(pdf);
  const answers = await Promise.all([
    read(threads, PDF_TYPE, bytes),
    read(threads, DOCX, gzipSync(makeDocx(paragraph('a document'))), { contentEncoding: 'gzip' }),
  ]);
  expect(answers).toMatchObject([{ content: { text: 'hello' } }, { content: { text: 'a document' } }]);
  expect(bytes).toEqual(new Uint8Array(pdf));
});

test('what cannot be read has a fault', async () => {
  const threads = threadsOf({ times: TIMES });
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
  const threads = threadsOf({ times: { ...TIMES, cpuMs: 1000 } });
  const long = await read(threads, PDF_TYPE, endlessPdf());
  expect(long).toEqual({ fault: 'reading it took more than 1 s of CPU time', isLimit: true });
  expect(await read(threads, PDF_TYPE, pdf, OTHER)).toMatchObject({ content: { text: 'hello' } });
});

test('one that takes too long by the clock alone is to be read later', async () => {
  const threads = threadsOf({ times: { ...TIMES, wallMs: 1000 } });
  expect(await read(threads, PDF_TYPE, endlessPdf())).toEqual({
    fault: 'the machine was busy, and reading it took more than 1 s',
    isLimit: true,
    wasBusy: 'reading',
  });
});

test('one that waited for others is to be read later', async () => {
  const threads = threadsOf({ times: { ...TIMES, waitMs: 24_000 } });
  // Time passes by hand: the first document is not read in time, however much of it passes.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const long = read(threads, PDF_TYPE, endlessPdf());
  const waiting = read(threads, PDF_TYPE, pdf);
  await vi.advanceTimersByTimeAsync(24_000);
  expect(await waiting).toEqual({
    fault: 'other documents were being read for 24 s',
    isLimit: true,
    wasBusy: 'waiting',
  });
  await threads.close();
  expect(await long).toEqual({ fault: 'the thread that read it has ended' });
});

test('one that comes while the idle thread ends is read', async () => {
  const threads = threadsOf({ times: TIMES });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let i = 0; i < 3; i++) {
    expect(await read(threads, PDF_TYPE, pdf)).toMatchObject({ content: { text: 'hello' } });
    vi.advanceTimersByTime(10_000);
  }
});

test('one whose thread ends by what earlier documents left there is read in another one', async () => {
  const threads = threadsOf({ times: TIMES });
  await read(threads, PDF_TYPE, pdf);
  const sent = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
    void this.terminate();
  });
  onTestFinished(() => sent.mockRestore());
  expect(await read(threads, PDF_TYPE, pdf)).toMatchObject({ content: { text: 'hello' } });
  expect(sent).toHaveBeenCalledTimes(2);
});

test('a domain whose documents met the limits has less for the next, and others have all', async () => {
  const threads = threadsOf({ times: { ...TIMES, cpuMs: 2000 } });
  const faults: unknown[] = [];
  for (const host of ['a.evil.test', 'evil.test', 'b.evil.test', 'good.test'])
    faults.push(await read(threads, PDF_TYPE, endlessPdf(), { url: `https://${host}/x` }));
  expect(faults.map((answer) => (answer as { fault: string }).fault.match(/\d+/)?.[0])).toEqual([
    '2',
    '1',
    '1',
    '2',
  ]);
  expect(await read(threads, PDF_TYPE, pdf, { url: 'https://evil.test/small' })).toMatchObject({
    content: { text: 'hello' },
  });
});

test('one that takes too much memory ends its thread alone', async () => {
  const threads = threadsOf({ times: TIMES, memoryMb: 24 });
  expect(await read(threads, PDF_TYPE, largePdf())).toMatchObject({
    fault: expect.stringMatching(/more than \d+ MiB of memory/),
  });
});

test('after the end nothing is read', async () => {
  const threads = threadsOf({ times: TIMES });
  await threads.close();
  expect(await read(threads, PDF_TYPE, pdf)).toEqual({ fault: 'the reading of documents has ended' });
});
