/** No host's documents cost another host its own. */
import { afterEach, expect, test } from 'vitest';
import { PDF_TYPE } from '../../shared/core/parser/whole-types.ts';
import {
  createDocumentThreads,
  type DocumentThreads,
} from '../../shared/crawler/media-thread/document-threads.ts';
import { endlessPdf, makePdf, pdfText } from '../core/media/made-documents.ts';

const open: DocumentThreads[] = [];
afterEach(async () => {
  for (const threads of open.splice(0)) await threads.close();
});

test('hosts whose documents never end do not keep the documents of another one unread', async () => {
  const threads = createDocumentThreads({
    times: { waitMs: Number.POSITIVE_INFINITY, cpuMs: 1000, wallMs: 600_000 },
  });
  open.push(threads);
  const ended: string[] = [];
  const read = async (host: string, body: Uint8Array) => {
    const url = `https://${host}/${ended.length}.pdf`;
    const answer = await threads.read({ url, mediaType: PDF_TYPE, maxBytes: 1e7 }, async () => body);
    ended.push(host);
    return answer;
  };
  const endless = endlessPdf();
  const pdf = makePdf([{ content: pdfText(['hello']) }]);
  const hostile = Array.from({ length: 3 }, (_, i) =>
    Array.from({ length: 3 }, () => read(`evil${i}.test`, endless)),
  ).flat();
  const innocent = Array.from({ length: 6 }, () => read('innocent.test', pdf));
  for (const answer of await Promise.all(innocent))
    expect(answer).toMatchObject({ content: { text: 'hello' } });
  // Each of the others had one document read, and has further ones that wait.
  expect(ended.filter((host) => host !== 'innocent.test')).toHaveLength(3);
  await threads.close();
  await Promise.all(hostile);
});
