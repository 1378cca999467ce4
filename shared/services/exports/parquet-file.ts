/** Files in the format Parquet. */
import { ByteWriter } from 'hyparquet-writer';
import type { Column, Row } from '../outputs/parquet/table.ts';
import { createTableWriter } from '../outputs/parquet/table-writer.ts';
import type { ExportPart } from './export-parts.ts';
import type { ExportFile, ExportStore } from './export-store.ts';

export interface ParquetFile {
  /** Bytes written so far, without the rows that are held. */
  readonly bytes: number;
  add(row: Row): Promise<void>;
  /** Writes the remaining rows, and completes the file. */
  finish(): Promise<void>;
}

/** Writes a table into the file, a group of rows at a time. */
export function createParquetFile(file: ExportFile, columns: readonly Column[]): ParquetFile {
  const writer = new ByteWriter();
  async function flush(): Promise<void> {
    // A copy: the writer uses its buffer again.
    await file.add(new Uint8Array(writer.buffer.slice(0, writer.index)));
    writer.index = 0;
  }
  const table = createTableWriter(Object.assign(writer, { flush, finish: flush }), columns);
  return {
    get bytes() {
      return file.bytes;
    },
    add: table.add,
    async finish() {
      await table.finish();
      await file.complete();
    },
  };
}

/** A Parquet file of an export. */
export async function openParquet<Value>(
  store: ExportStore,
  name: string,
  columns: readonly Column[],
  rowOf: (value: Value) => Row,
): Promise<ExportPart<Value>> {
  const file = store.create(name);
  const table = createParquetFile(file, columns);
  let isDone = false;

  return {
    get bytes() {
      return table.bytes;
    },
    add: (value) => table.add(rowOf(value)),
    async finish() {
      await table.finish();
      isDone = true;
      return table.bytes;
    },
    async discard() {
      if (!isDone) await file.abort();
    },
  };
}
