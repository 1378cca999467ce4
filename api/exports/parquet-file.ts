/** Parquet files (https://parquet.apache.org), written a group of rows at a time. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Cell, Column, ColumnType, Row } from '../../shared/outputs/parquet/table.ts';

export interface ParquetFile {
  /** Rows written so far. */
  readonly rows: number;
  /** Bytes written so far, without the rows that are held. */
  readonly bytes: number;
  add(row: Row): Promise<void>;
  /** Writes what is left. Then the file has its name. */
  finish(): Promise<void>;
  /** Deletes what was written, unless the file is finished. */
  discard(): Promise<void>;
}

/** Rows are compressed together. Memory is a group of rows, and once more its columns. */
const GROUP_ROWS = 20_000;
const GROUP_CHARS = 16 * 1024 * 1024;
/** The assumed size of a value that is not text. */
const CELL_CHARS = 8;

const TYPES: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  int16: { type: 'INT32', converted_type: 'INT_16' },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** Creates the file at `path`, under another name until it is finished. */
export async function createParquetFile(path: string, columns: readonly Column[]): Promise<ParquetFile> {
  const unfinished = `${path}.part`;
  const handle = await open(unfinished, 'wx');
  const writer = fileWriter(handle);
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: {
      ZSTD: (bytes) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
    },
    createdBy: 'strand-crawler',
  });
  /** The values of each column. */
  let group = columns.map((): Cell[] => []);
  let grouped = 0;
  let chars = 0;
  let rows = 0;
  let isDone = false;

  async function flush(): Promise<void> {
    const columnData = columns.map(({ name, isSorted }, i) => ({
      name,
      data: group[i] as Cell[],
      columnIndex: isSorted ?? false,
    }));
    await parquet.write({ columnData, rowGroupSize: Math.max(1, grouped) });
    group = columns.map(() => []);
    grouped = 0;
    chars = 0;
  }

  return {
    get rows() {
      return rows;
    },
    get bytes() {
      return writer.written;
    },
    async add(row) {
      grouped++;
      rows++;
      for (const [i, { name }] of columns.entries()) {
        const value = row[name];
        group[i]?.push(value);
        chars += typeof value === 'string' ? value.length : CELL_CHARS;
      }
      if (grouped >= GROUP_ROWS || chars >= GROUP_CHARS) await flush();
    },
    async finish() {
      if (grouped > 0 || rows === 0) await flush();
      await parquet.finish();
      await handle.close();
      await rename(unfinished, path);
      isDone = true;
    },
    async discard() {
      if (isDone) return;
      await handle.close();
      await unlink(unfinished);
    },
  };
}

const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(
    ({ name, type, isRequired }): SchemaElement => ({
      name,
      repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
      ...TYPES[type],
    }),
  ),
];

interface FileWriter extends ByteWriter {
  /** Bytes in the file. */
  written: number;
  flush(): Promise<void>;
  finish(): Promise<void>;
}

/** Holds a group of rows and writes it to the file. */
function fileWriter(handle: FileHandle): FileWriter {
  const writer = new ByteWriter();
  async function flush(): Promise<void> {
    const bytes = new Uint8Array(writer.buffer, 0, writer.index);
    for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    file.written += bytes.length;
    writer.index = 0;
  }
  const file = Object.assign(writer, { written: 0, flush, finish: flush });
  return file;
}
