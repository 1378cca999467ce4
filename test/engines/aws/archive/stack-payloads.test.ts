/** How many reads of a stack's archive a page takes. */
import { expect, test } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { encodeMetadata } from '../../../../shared/core/archive/metadata.ts';
import { PayloadReader } from '../../../../shared/core/archive/payload-reader.ts';
import type { RecordLocation } from '../../../../shared/core/archive/record-location.ts';
import { encodeForms } from '../../../../shared/core/archive/rendered-forms.ts';
import type { StackArchive } from '../../../../shared/engines/aws/archive/stack-archive.ts';
import { payloadsOf } from '../../../../shared/engines/aws/archive/stack-payloads.ts';
import { all } from '../../../all.ts';
import { captureOf, joined, RECORDS } from '../../../core/archive/captures.ts';

const PLAIN = 40;
const HTML = Buffer.from('<p>as rendered</p>'.repeat(100));

/** Pages of one file, the first of them rendered, and the reads that were made of it. */
async function archiveOf(fails?: () => boolean) {
  let file = Buffer.alloc(0);
  const places: RecordLocation[] = [];
  for (let n = 0; n <= PLAIN; n++) {
    const url = `http://example.test/${n}`;
    const capture = captureOf({ url, body: Buffer.from(`page ${n} `.repeat(4000)) });
    const { members, responseId, date } = await encodeCapture(capture, RECORDS);
    const metadata = encodeMetadata({ concurrentTo: responseId, url, date, hopsFromSeed: 0 }, RECORDS);
    const forms = n === 0 ? encodeForms({ url, page: responseId, date, html: HTML }, RECORDS.newId) : [];
    const [response, ...beside] = await Promise.all([...members, metadata, ...forms].map(joined));
    places.push({ file: 'a.warc.gz', offset: file.length, length: response!.length });
    file = Buffer.concat([file, response!, ...beside]);
  }
  const reads: number[] = [];
  const open: StackArchive['open'] = async (location) => ({
    location,
    async read(offset, length) {
      if (fails?.()) throw new Error('the network failed');
      reads.push(length);
      return file.subarray(offset, offset + length);
    },
  });
  return { payloads: payloadsOf({ open } as StackArchive, 'c'), places, reads };
}

const readAll = async (payloads: PayloadReader, places: readonly RecordLocation[], withUsage = false) =>
  all(
    payloads.readAll(
      (async function* () {
        yield* places;
      })(),
      (place) => place,
      1e6,
      withUsage,
    ),
  );

test.each([true, false])(
  'the plain pages of a crawl that has rendered others take one read each, with what is beside them (usage: %s)',
  async (withUsage) => {
    const { payloads, places, reads } = await archiveOf();
    const read = await readAll(new PayloadReader(payloads, 'shown'), places, withUsage);
    const bodies = read.map((tried) =>
      'read' in tried ? Buffer.from(tried.read.payload.body) : tried.error,
    );
    expect(bodies[0]).toEqual(HTML);
    expect(String(bodies[1])).toMatch(/^page 1 /);
    expect(reads).toHaveLength(PLAIN + 1);
  },
);

test('a crawl that has rendered nothing is read without looking for it', async () => {
  const { payloads, places, reads } = await archiveOf();
  const source = { ...payloads, hasRendered: async () => false };
  await readAll(new PayloadReader(source, 'shown'), places);
  expect(reads).toEqual(places.map(({ length }) => length));
});

test('a page whose read failed is read again', async () => {
  let isFailing = true;
  const { payloads, places } = await archiveOf(() => isFailing);
  const reader = new PayloadReader(payloads, 'shown');
  await expect(reader.read(places[0]!, 1e6)).rejects.toThrow('the network failed');
  isFailing = false;
  expect(Buffer.from((await reader.read(places[0]!, 1e6)).payload.body)).toEqual(HTML);
});
