/** The files of an export: lines or Parquet tables, each as large as a slice of the work and a limit of size allow. */
import type { ExportContext, StageSlice } from './export-context.ts';
import { type ExportStore, storeFile } from './export-store.ts';
import { gzipLines } from './gzip-lines.ts';
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

export interface FolderFile {
  /** With `/` between folders. */
  readonly path: string;
  readonly body: Uint8Array;
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

/** Writes values until the slice is over, or a file is full and another slice can continue well. */
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

  let [files, bytes] = [0, 0];
  let isFull = false;

  async function close(kind: string, part: ExportPart<Value>): Promise<void> {
    bytes += await part.finish();
    files += part.files ?? 1;
    parts.delete(kind);
  }

  try {
    for await (const placed of values(at?.after)) {
      const { value, isGoodEnd = true } = placed;
      ({ after, share } = placed);
      if (placed.isSkipped) skipped++;
      if (value !== undefined) {
        const part = await partOf(value);
        await part.add(value);
        records++;
        if (part.bytes >= maxFileBytes) {
          await close(kindOf(value), part);
          isFull = true;
        }
      }
      isCut = context.isOver() || (isGoodEnd && (isFull || context.isLate()));
      if (isCut) break;
    }
    for (const [kind, part] of parts) await close(kind, part);
    const written = { files, bytes, records, skipped };
    return isCut ? { at: { after, next } satisfies PartsAt<unknown>, written, share } : { written, share: 1 };
  } finally {
    for (const part of parts.values()) await part.discard();
  }
}

/** `part-00003` */
export const partNumber = (number: number): string => String(number).padStart(5, '0');

export const tablePart = (table: string, number: number): string =>
  `${table}/part-${partNumber(number)}.zstd.parquet`;

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

/** A file for each value. */
export function eachFile(store: ExportStore): ExportPart<FolderFile> {
  let [files, bytes] = [0, 0];
  return {
    get files() {
      return files;
    },
    bytes: 0,
    async add({ path, body }) {
      bytes += await storeFile(store, path, [body]);
      files++;
    },
    finish: async () => bytes,
    discard: async () => {},
  };
}
