/** Tables in the format Parquet (https://parquet.apache.org), written a group of rows at a time. */
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement, type Writer } from 'hyparquet-writer';
import type { Cell, Column, ColumnType, Row } from './table.ts';

export interface TableWriter {
  /** Rows added so far. */
  readonly rows: number;
  add(row: Row): Promise<void>;
  /** Writes what is left, and the end of the file. */
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

/** The same rows make the same bytes. `writer.flush` is called after each group of rows. */
export function createTableWriter(writer: Writer, columns: readonly Column[]): TableWriter {
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
    },
  };
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
