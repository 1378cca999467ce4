/** The files of an export: lines or Parquet tables, each as large as a slice of the work and a limit of size allow. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Column, Row } from '../outputs/parquet/table.ts';
import type { ExportContext, StageSlice } from './export-context.ts';
import type { ExportStore } from './export-store.ts';
import { gzipLines } from './gzip-lines.ts';
import { createParquetFile } from './parquet-file.ts';
import type { Placed } from './placed.ts';

export interface ExportPart<Value> {
  /** Its files. Default: one. */
  readonly files?: number;
  readonly bytes: number;
  add(value: Value): Promise<void>;
  /** Stores the added values. Returns the bytes of the file. */
  finish(): Promise<number>;
  discard(): Promise<void>;
}

export interface PartsAt<Place> {
  /** Undefined: nothing is done yet. */
  readonly after: Place | undefined;
  /** The number of the next file of each kind. */
  readonly next: Readonly<Record<string, number>>;
}

interface PartsOf<Value, Place> {
  /** The values after a cursor. */
  readonly values: (after: Place | undefined) => AsyncIterable<Placed<Value, Place>>;
  /** Which of several kinds of files has the value. Default: there is one. */
  readonly kindOf?: (value: Value) => string;
  readonly open: (number: number, kind: string) => Promise<ExportPart<Value>>;
}

const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Writes values until the slice is over or a file is full. */
export async function writeParts<Value, Place>(
  context: ExportContext,
  at: PartsAt<Place> | undefined,
  { values, kindOf = () => '', open }: PartsOf<Value, Place>,
): Promise<StageSlice> {
  const { maxFileBytes = MAX_FILE_BYTES } = context;
  const parts = new Map<string, ExportPart<Value>>();
  const next: Record<string, number> = { ...at?.next };
  let after = at?.after;
  let [records, skipped, share] = [0, 0, 0];
  let isCut = false;

  async function partOf(value: Value): Promise<ExportPart<Value>> {
    const kind = kindOf(value);
    let part = parts.get(kind);
    if (!part) {
      const number = next[kind] ?? 0;
      next[kind] = number + 1;
      part = await open(number, kind);
      parts.set(kind, part);
    }
    return part;
  }

  try {
    for await (const placed of values(at?.after)) {
      const { value, isGoodEnd = true } = placed;
      ({ after, share } = placed);
      if (placed.isSkipped) skipped++;
      if (value !== undefined) {
        await (await partOf(value)).add(value);
        records++;
      }
      const isFull = [...parts.values()].some((part) => part.bytes >= maxFileBytes);
      isCut = context.isOver() || (isGoodEnd && (isFull || context.isLate()));
      if (isCut) break;
    }
    let [files, bytes] = [0, 0];
    for (const part of parts.values()) {
      bytes += await part.finish();
      files += part.files ?? 1;
    }
    const written = { files, bytes, records, skipped };
    return isCut ? { at: { after, next } satisfies PartsAt<unknown>, written, share } : { written, share: 1 };
  } finally {
    for (const part of parts.values()) await part.discard();
  }
}

/** `part-00003` */
export const partNumber = (number: number): string => String(number).padStart(5, '0');

/** A file of compressed lines. `lineOf`: a value's line, with its end. `header`: the text before them. */
export async function openLines<Value>(
  objects: ExportStore,
  name: string,
  lineOf: (value: Value) => string,
  header = '',
): Promise<ExportPart<Value>> {
  const upload = objects.create(name);
  const lines = gzipLines(upload);
  let isDone = false;
  await lines.add(header);

  return {
    get bytes() {
      return upload.bytes;
    },
    add: (value) => lines.add(lineOf(value)),
    async finish() {
      await lines.finish();
      const { bytes } = upload;
      await upload.complete();
      isDone = true;
      return bytes;
    },
    async discard() {
      if (!isDone) await upload.abort();
    },
  };
}

/** A part that has the values twice, in the files of two. */
export function bothParts<Value>(one: ExportPart<Value>, other: ExportPart<Value>): ExportPart<Value> {
  return {
    files: 2,
    get bytes() {
      return Math.max(one.bytes, other.bytes);
    },
    async add(value) {
      await one.add(value);
      await other.add(value);
    },
    finish: async () => (await one.finish()) + (await other.finish()),
    async discard() {
      await one.discard();
      await other.discard();
    },
  };
}

const COPY_BYTES = 4 * 1024 * 1024;

/** A Parquet file, which is made on the disk, and then uploaded. */
export async function openParquet<Value>(
  objects: ExportStore,
  name: string,
  columns: readonly Column[],
  rowOf: (value: Value) => Row,
): Promise<ExportPart<Value>> {
  const folder = await mkdtemp(join(tmpdir(), 'strand-export-'));
  const path = join(folder, 'table.parquet');
  const file = await createParquetFile(path, columns);

  return {
    get bytes() {
      return file.bytes;
    },
    add: (value) => file.add(rowOf(value)),
    async finish() {
      await file.finish();
      return uploadFile(objects, name, path);
    },
    async discard() {
      await file.discard();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function uploadFile(objects: ExportStore, name: string, path: string): Promise<number> {
  const upload = objects.create(name);
  const handle = await open(path, 'r');
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(COPY_BYTES), 0, COPY_BYTES);
      if (bytesRead === 0) break;
      await upload.add(buffer.subarray(0, bytesRead));
    }
    const { bytes } = upload;
    await upload.complete();
    return bytes;
  } catch (error) {
    await upload.abort();
    throw error;
  } finally {
    await handle.close();
  }
}
