/** Files in the format Parquet. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { ByteWriter } from 'hyparquet-writer';
import type { Column, Row } from '../outputs/parquet/table.ts';
import { createTableWriter } from '../outputs/parquet/table-writer.ts';

export interface ParquetFile {
  /** Rows written so far. */
  readonly rows: number;
  /** Bytes written so far, without the rows that are held. */
  readonly bytes: number;
  add(row: Row): Promise<void>;
  /** Writes the remaining rows, and gives the file its name. */
  finish(): Promise<void>;
  /** Deletes the unfinished file. */
  discard(): Promise<void>;
}

/** Creates the file at `path`, under another name until it is finished. */
export async function createParquetFile(path: string, columns: readonly Column[]): Promise<ParquetFile> {
  const unfinished = `${path}.part`;
  const handle = await open(unfinished, 'wx');
  const writer = fileWriter(handle);
  const table = createTableWriter(writer, columns);
  let isDone = false;

  return {
    get rows() {
      return table.rows;
    },
    get bytes() {
      return writer.written;
    },
    add: table.add,
    async finish() {
      await table.finish();
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
