import { expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { encodeMetadata } from '../../../shared/core/archive/metadata.ts';
import { readRendered } from '../../../shared/core/archive/read-rendered.ts';
import { encodeForms } from '../../../shared/core/archive/rendered-forms.ts';
import type { ReadAt } from '../../../shared/core/archive/scan-members.ts';
import { captureOf, joined, RECORDS } from './captures.ts';

const URL = 'http://example.test/';
const HTML = Buffer.from('<p>as rendered</p>'.repeat(30_000));

/** A page that was rendered, with its records beside it, and the same page again as it was fetched. */
async function archived(hasMetadata = true) {
  const capture = captureOf({
    url: URL,
    body: Buffer.from('a page'),
    requestHead: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  });
  const { members, responseId, date } = await encodeCapture(capture, RECORDS);
  const page = { concurrentTo: responseId, url: URL, date, hopsFromSeed: 0 };
  const forms = { url: URL, page: responseId, date, html: HTML, screenshot: Buffer.from('PNG') };
  const parts = await Promise.all(
    [
      ...members,
      ...(hasMetadata ? [encodeMetadata(page, RECORDS)] : []),
      ...encodeForms(forms, RECORDS.newId),
      ...members,
    ].map(joined),
  );
  const file = Buffer.concat(parts);
  const read: ReadAt = async (offset, length) => file.subarray(offset, offset + length);
  const { length } = parts[0]!;
  const again = file.length - parts.slice(-members.length).reduce((sum, part) => sum + part.length, 0);
  return { file, read, rendered: { offset: 0, length }, fetched: { offset: again, length } };
}

test.each([true, false])(
  'the rendered form of a page is read from beside it (metadata: %s)',
  async (hasMetadata) => {
    const { read, rendered, fetched } = await archived(hasMetadata);
    expect(await readRendered(read, URL, rendered, 1e6)).toEqual(HTML);
    expect(await readRendered(read, URL, fetched, 1e6)).toBeUndefined();
  },
);

test('there is none of another URL, of more bytes than wanted, and in a file that is cut', async () => {
  const { file, read, rendered } = await archived();
  expect(await readRendered(read, 'http://example.test/other', rendered, 1e6)).toBeUndefined();
  expect(await readRendered(read, URL, rendered, HTML.length - 1)).toBeUndefined();
  for (let cut = rendered.length; cut < 2500; cut += 50) {
    const some: ReadAt = async (offset, length) => file.subarray(0, cut).subarray(offset, offset + length);
    const found = await readRendered(some, URL, rendered, 1e6);
    expect([undefined, HTML]).toContainEqual(found);
  }
});
