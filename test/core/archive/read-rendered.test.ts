import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { encodeCapture } from '../../../shared/core/archive/capture.ts';
import { encodeMetadata } from '../../../shared/core/archive/metadata.ts';
import { readRendered } from '../../../shared/core/archive/read-rendered.ts';
import { NotWarc } from '../../../shared/core/archive/read-warc.ts';
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
  const before = members.length + (hasMetadata ? 1 : 0);
  const conversion = {
    offset: parts.slice(0, before).reduce((sum, part) => sum + part.length, 0),
    length: parts[before]!.length,
  };
  return { file, read, rendered: { offset: 0, length }, fetched: { offset: again, length }, conversion };
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
    const found = await readRendered(some, URL, rendered, 1e6).catch((error) => error);
    expect(found === undefined || found instanceof NotWarc || HTML.equals(found), `${cut}`).toBe(true);
  }
});

test('one that is damaged is said to be, and not to be missing', async () => {
  const { file, read, rendered, conversion } = await archived();
  for (const at of [conversion.offset + 1000, conversion.offset + conversion.length - 6]) {
    const damaged = Buffer.from(file);
    damaged[at]! ^= 0xff;
    const readDamaged: ReadAt = async (offset, length) => damaged.subarray(offset, offset + length);
    await expect(readRendered(readDamaged, URL, rendered, 1e6)).rejects.toThrow(NotWarc);
  }
  expect(await readRendered(read, URL, rendered, 1e6)).toEqual(HTML);
});

test('a large record after a page that was not rendered is not read for it', async () => {
  const { members } = await encodeCapture(captureOf({ url: URL, body: Buffer.from('a page') }), RECORDS);
  const large = captureOf({ url: `${URL}large`, body: randomBytes(4_000_000) });
  const next = await encodeCapture(large, RECORDS);
  const parts = await Promise.all([...members, ...next.members].map(joined));
  const file = Buffer.concat(parts);
  let bytes = 0;
  const read: ReadAt = async (offset, length) => {
    const found = file.subarray(offset, offset + length);
    bytes += found.length;
    return found;
  };
  const location = { offset: 0, length: parts[0]!.length };
  expect(await readRendered(read, URL, location, 1e6)).toBeUndefined();
  expect(bytes).toBeLessThan(20_000);
});
