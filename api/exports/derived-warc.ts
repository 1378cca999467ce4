/** WET and WAT files made of the WARC files of a crawl's folder. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openRecord } from '../../shared/core/archive/read-member.ts';
import { fieldOf } from '../../shared/core/archive/read-warc.ts';
import { type ReadAt, type ScannedMember, scanMembers } from '../../shared/core/archive/scan-members.ts';
import { recordId } from '../../shared/core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../shared/core/archive/warcinfo.ts';
import { windowedRead } from '../../shared/core/archive/windowed-read.ts';
import { messageOf } from '../../shared/core/base/error-message.ts';
import { version } from '../../shared/core/base/version.ts';
import type { ModuleReading } from '../../shared/services/outputs/page-document.ts';
import { type NewId, type SourceRecord, targetOf } from '../../shared/services/outputs/warc/source-record.ts';
import { type WatOptions, watRecord } from '../../shared/services/outputs/warc/wat.ts';
import { wetRecord } from '../../shared/services/outputs/warc/wet.ts';
import { FolderNotEmpty } from '../folder-not-empty.ts';
import type { DerivedFormat, DerivedOptions, ExportedRecords } from '../stored-crawl.ts';
import { type ExportSource, withheldUrls } from './export-source.ts';

/** Larger records are read only up to this size. */
const MAX_BLOCK_BYTES = 16 * 1024 * 1024;
/** Written together. */
const WRITE_BYTES = 1024 * 1024;

type DerivedRecord = Uint8Array[] | undefined;

type Making = Required<Pick<WatOptions, 'onUnread'>> & WatOptions;

const MAKERS: Readonly<
  Record<DerivedFormat, (source: SourceRecord, newId: NewId, making: Making) => Promise<DerivedRecord>>
> = { wet: (source, newId, { modules }) => wetRecord(source, newId, modules), wat: watRecord };

const newId = () => recordId(randomUUID());

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

/** The record that is made of a record, if one is, and where the record ends in its file. */
export interface MadeRecord {
  readonly record: DerivedRecord;
  readonly end: number;
  /** The record refers to another one, perhaps in another crawl's archive, for its payload. */
  readonly isRevisit: boolean;
}

export interface DerivedFrom {
  readonly file: string;
  readonly format: DerivedFormat;
  /** Where a record begins: those before it are left out. */
  readonly offset?: number;
  /** URLs whose content is kept from exports. */
  readonly withheld: ReadonlySet<string>;
  /** Modules of the project. */
  readonly modules?: ModuleReading | undefined;
  readonly warn: (message: string) => void;
}

/** Yields the records that are derived from a WARC file. */
export async function* derivedRecords(
  read: ReadAt,
  { file, format, offset = 0, withheld, modules, warn }: DerivedFrom,
): AsyncGenerator<MadeRecord, void, undefined> {
  for await (const member of sourcesIn(read, { file, offset, warn })) {
    const isWithheld = withheld.has(targetOf(member.record) ?? '');
    const record = isWithheld ? undefined : await madeOf(member, { format, modules, warn });
    const isRevisit = !isWithheld && fieldOf(member.record, 'WARC-Type') === 'revisit';
    yield { record, end: member.offset + member.length, isRevisit };
  }
}

async function madeOf(
  source: SourceRecord,
  { format, modules, warn }: Pick<DerivedFrom, 'format' | 'modules' | 'warn'>,
): Promise<DerivedRecord> {
  const onUnread = (error: unknown) =>
    warn(`${source.file} at ${source.offset} has no text and links: ${messageOf(error)}`);
  try {
    return await MAKERS[format](source, newId, { modules, onUnread });
  } catch (error) {
    warn(`${source.file} at ${source.offset} is left out: ${messageOf(error)}`);
    return undefined;
  }
}

/** The records up to the first one that is damaged. */
async function* sourcesIn(
  read: ReadAt,
  { file, offset: start, warn }: Pick<DerivedFrom, 'file' | 'warn'> & { readonly offset: number },
): AsyncGenerator<SourceRecord, void, undefined> {
  try {
    for await (const member of scanMembers(windowedRead(read), start)) {
      const { record, offset, length, headLength } = member;
      const block = await blockOf(read, member);
      yield { record, file, offset, length, headLength, block, isCut: block.length < record.blockLength };
    }
  } catch (error) {
    if ((error as Error).name !== 'NotWarc') throw error;
    warn(`${file}: ${messageOf(error)}; what follows is left out`);
  }
}

async function blockOf(read: ReadAt, { record, offset, blockStart }: ScannedMember): Promise<Uint8Array> {
  if (blockStart.length >= record.blockLength) return blockStart;
  const { block, close } = await openRecord(read, offset);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of block) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BLOCK_BYTES) break;
    }
    return Buffer.concat(chunks);
  } finally {
    await close();
  }
}

/** The record that begins a file `filename` made of a WARC file `source`. */
export const derivedWarcinfo = (crawl: string, source: string, filename: string): Uint8Array[] =>
  encodeWarcinfo({
    filename,
    date: Date.now(),
    software: `Strand/${version}`,
    crawl,
    description: `Made of ${source}`,
    id: newId(),
  });

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
