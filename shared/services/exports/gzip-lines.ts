import { gzipSync } from 'node:zlib';
import type { ExportFile } from './export-store.ts';

const CHUNK_CHARS = 1024 * 1024;

export interface GzipLines {
  /** The line includes its line end. Calls must not overlap. */
  add(line: string): Promise<void>;
  /** Writes the lines that are held. */
  flush(): Promise<void>;
  /** As above, at the end of the file: a file without lines is a valid gzip file, too. */
  finish(): Promise<void>;
}

/** Compresses lines a MB at a time, each piece as a member of its own (RFC 1952, 2.2), so that a later slice can go on. */
export function gzipLines(upload: Pick<ExportFile, 'add' | 'bytes'>): GzipLines {
  let lines: string[] = [];
  let chars = 0;

  async function store(): Promise<void> {
    const bytes = gzipSync(lines.join(''));
    lines = [];
    chars = 0;
    await upload.add(bytes);
  }

  return {
    async add(line) {
      lines.push(line);
      chars += line.length;
      if (chars >= CHUNK_CHARS) await store();
    },
    async flush() {
      if (chars > 0) await store();
    },
    async finish() {
      if (chars > 0 || upload.bytes === 0) await store();
    },
  };
}
