/** Tables in the format Parquet (https://parquet.apache.org), written a group of rows at a time. */
import { constants, zstdCompressSync } from 'node:zlib';
import {
  ByteWriter,
  type ColumnSource,
  ParquetWriter,
  type SchemaElement,
  type Writer,
} from 'hyparquet-writer';
import type { Cell, Column, ColumnType, Row } from './table.ts';

export interface TableWriter {
  /** Rows added so far. */
  readonly rows: number;
  add(row: Row): Promise<void>;
  /** Writes the remaining rows, and the footer of the file. */
  finish(): Promise<void>;
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

/** Equal rows make equal bytes. `writer.flush` is called after each group of rows. */
export function createTableWriter(writer: Writer, columns: readonly Column[]): TableWriter {
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: {
      // Without its size, 50 bytes are given tables for 2 MB: twice the time.
      ZSTD: (bytes) =>
        zstdCompressSync(bytes, {
          params: { [constants.ZSTD_c_compressionLevel]: 3 },
          pledgedSrcSize: bytes.length,
        }),
    },
    createdBy: 'strand-crawler',
  });
  const names = columns.map(({ name }) => name);
  /** The values of each column. */
  let group = columns.map((): Cell[] => []);
  let grouped = 0;
  let chars = 0;
  let rows = 0;

  async function flush(): Promise<void> {
    const columnData = columns.map((column, i) => sourceOf(column, group[i]!));
    await parquet.write({ columnData, rowGroupSize: Math.max(1, grouped) });
    group = columns.map(() => []);
    grouped = 0;
    chars = 0;
  }

  return {
    get rows() {
      return rows;
    },
    async add(row) {
      grouped++;
      rows++;
      for (let i = 0; i < names.length; i++) {
        const value = row[names[i]!];
        group[i]!.push(value);
        chars += typeof value === 'string' ? value.length : CELL_CHARS;
      }
      if (grouped >= GROUP_ROWS || chars >= GROUP_CHARS) await flush();
    },
    async finish() {
      if (grouped > 0 || rows === 0) await flush();
      await parquet.finish();
    },
  };
}

function sourceOf({ name, type, isDistinct, isScattered }: Column, values: Cell[]): ColumnSource {
  if (isDistinct) return { name, data: utf8Of(values), encoding: 'PLAIN', statistics: false };
  const data = type === 'timestamp' ? values.map(millisOf) : values;
  // The parquet writer counts nulls by a new bigint for each.
  const statistics = !isScattered && values.some((value) => value !== undefined);
  return { name, data, statistics };
}

/** The parquet writer would make them of each date twice, the second time for the smallest and largest. */
const millisOf = (value: Cell): Cell => (value instanceof Date ? BigInt(value.getTime()) : value);

/** The bytes of texts, in a fraction of the time that it takes the parquet writer, which encodes each by itself. */
function utf8Of(values: readonly Cell[]): (Uint8Array | undefined)[] {
  const all = values.join('');
  const bytes = Buffer.from(all);
  // Only ASCII has as many bytes as characters.
  if (bytes.length !== all.length)
    return values.map((value) => (typeof value === 'string' ? Buffer.from(value) : undefined));
  let at = 0;
  return values.map((value) => {
    if (typeof value !== 'string') return undefined;
    at += value.length;
    return bytes.subarray(at - value.length, at);
  });
}

export interface TableBytes extends Omit<TableWriter, 'finish'> {
  /** Returns the whole table. */
  finish(): Promise<Uint8Array>;
}

/** A table in memory: about 50 bytes for a capture. */
export function createTableBytes(columns: readonly Column[]): TableBytes {
  const writer = new ByteWriter();
  const table = createTableWriter(writer, columns);
  return {
    get rows() {
      return table.rows;
    },
    add: table.add,
    async finish() {
      await table.finish();
      return writer.getBytes();
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
