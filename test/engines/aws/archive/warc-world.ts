/** WARC files and other objects for the tests of all calls of an archive. */
import { beforeAll } from 'vitest';
import { encodeCapture } from '../../../../shared/core/archive/capture.ts';
import { recordId } from '../../../../shared/core/archive/warc-record.ts';
import { warcFolder } from '../../../../shared/engines/aws/archive/archives.ts';
import { CRAWL } from '../../../contract/subjects.ts';
import { captureOf, T0 } from '../../../core/archive/captures.ts';
import type { World } from '../struck-calls.ts';

export const FOLDER = `${warcFolder(CRAWL)}/`;
export const SITE = 'http://site.test/';
export const nameOf = (i: number) => `T-2026010200000${i}-abcdefghij-0000${i}.warc.gz`;

/** Bytes that no compression makes fewer. */
export function bytesOf(size: number): Uint8Array {
  let state = size + 1;
  return Uint8Array.from({ length: size }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Six WARC files: of each one or two pages, the third is large. */
export const warcs: Buffer[] = [];
beforeAll(async () => {
  let ids = 0;
  const records = { newId: () => recordId(`00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`) };
  for (const [i, sizes] of [[100, 200], [300], [4000], [50, 60], [700], [80]].entries()) {
    const pieces: Uint8Array[] = [];
    for (const [page, size] of sizes.entries()) {
      const startedAt = T0 + i * 86_400_000 + page * 1000;
      const headers = [['Content-Type', page === 0 ? 'text/html' : 'text/plain']] as const;
      const capture = captureOf({ url: `${SITE}${i % 4}`, startedAt, body: bytesOf(size), headers });
      for (const member of (await encodeCapture(capture, records)).members)
        for await (const piece of member) pieces.push(piece);
    }
    warcs.push(Buffer.concat(pieces));
  }
});

export const contextOf = ({
  clients: { dynamo, s3 },
  engine: { clock },
  cloud: { settings, sizes },
}: World) => ({
  ...{ dynamo, s3, clock, sizes, table: settings.crawlState, names: settings, bucket: settings.bucket },
  crawl: CRAWL,
  folder: FOLDER,
});

export function put({ cloud }: World, Key: string, Body: Uint8Array, more: object = {}): void {
  cloud.s3.handle('PutObjectCommand', { Bucket: cloud.settings.bucket, Key, Body, ...more });
}

/** The archive's files, one that is damaged, and some that are not the archive's. */
export async function filled(world: World): Promise<void> {
  for (const [i, bytes] of warcs.entries()) put(world, FOLDER + nameOf(i), bytes);
  put(world, FOLDER + nameOf(6), Buffer.from('no WARC'));
  put(world, FOLDER + nameOf(7), Buffer.alloc(0));
  put(world, `${FOLDER}mine.warc.gz`, warcs[0] as Buffer);
  put(world, `${FOLDER}below/${nameOf(8)}`, warcs[0] as Buffer);
  await world.cloud.time.advance(5000);
  put(world, FOLDER + nameOf(9), warcs[1] as Buffer);
}

export const filesOf = ({ cloud: { s3, settings } }: World): unknown[] =>
  [...s3.objects(settings.bucket)].map(
    ([key, { bytes }]) => `${key.replace(/-[0-9a-f]{20}\./, '-HASH.')} bytes: ${bytes.length}`,
  );

export const steps = () => {
  let count = 0;
  return { step: async () => void count++, count: () => count };
};
