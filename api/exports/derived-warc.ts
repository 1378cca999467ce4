/** WET and WAT files made of the WARC files of a crawl's folder. */
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedRecords, derivedWarcinfo } from '../../shared/services/exports/derived-records.ts';
import { type ExportSource, withheldUrls } from '../../shared/services/exports/export-source.ts';
import { FolderNotEmpty } from '../folder-not-empty.ts';
import type { DerivedFormat, DerivedOptions, ExportedRecords } from '../stored-crawl.ts';

/** Written together. */
const WRITE_BYTES = 1024 * 1024;

/**
 * Writes a file for each WARC file, `NAME.warc.wet.gz` or `NAME.warc.wat.gz`, into `out`. A file has its name when it
 * is complete. Throws {@link FolderNotEmpty}.
 */
export async function exportDerived(
  source: ExportSource,
  format: DerivedFormat,
  out: string,
  { warn = () => {} }: DerivedOptions = {},
): Promise<ExportedRecords> {
  await mkdir(out, { recursive: true });
  if ((await readdir(out)).length > 0) throw new FolderNotEmpty(out);
  const withheld = await withheldUrls(source);
  const modules = await source.openModules?.();
  const warcs = await source.openWarcs();
  const counts = { files: 0, records: 0, revisits: 0 };
  try {
    for (const name of warcs.files) {
      const derived = name.replace(/\.warc\.gz$/, `.warc.${format}.gz`);
      const file = await createFile(join(out, derived));
      try {
        await file.add(derivedWarcinfo(source.crawl, name, derived));
        for await (const { record, isRevisit } of derivedRecords(warcs.reader(name), {
          file: name,
          format,
          withheld,
          modules,
          warn,
        })) {
          if (isRevisit) counts.revisits++;
          if (!record) continue;
          counts.records++;
          await file.add(record);
        }
        await file.finish();
        counts.files++;
      } finally {
        await file.discard();
      }
    }
  } finally {
    await warcs.close();
  }
  return counts;
}

async function createFile(path: string) {
  const unfinished = `${path}.part`;
  const handle = await open(unfinished, 'wx');
  let pieces: Uint8Array[] = [];
  let size = 0;
  let isDone = false;

  async function flush(): Promise<void> {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    size = 0;
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
  }

  return {
    async add(record: readonly Uint8Array[]): Promise<void> {
      for (const piece of record) {
        pieces.push(piece);
        size += piece.length;
      }
      if (size >= WRITE_BYTES) await flush();
    },
    async finish(): Promise<void> {
      await flush();
      await handle.close();
      await rename(unfinished, path);
      isDone = true;
    },
    async discard(): Promise<void> {
      if (isDone) return;
      await handle.close();
      await unlink(unfinished);
    },
  };
}
