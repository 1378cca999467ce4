/** Files in the format Parquet. */
import { ByteWriter } from 'hyparquet-writer';
import type { Column, Row } from '../outputs/parquet/table.ts';
import { createTableWriter } from '../outputs/parquet/table-writer.ts';
import type { ExportFile } from './export-store.ts';

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
