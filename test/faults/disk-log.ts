/**
 * The log that the faulty disk (`fault-disk.c`) writes: the calls of a process to one folder, in the order of
 * their effects.
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * In the order of the numbers in `fault-disk.c`. `create`: an open that made the file. `sync`: fsync and
 * fdatasync.
 */
export const DISK_OPS = [
  ...['open', 'create', 'write', 'truncate', 'sync', 'rename', 'unlink', 'mkdir', 'rmdir', 'read'],
] as const satisfies readonly string[] as unknown as readonly DiskOp[];
export type DiskOp =
  | ('open' | 'create' | 'write' | 'truncate' | 'sync' | 'rename' | 'unlink' | 'mkdir' | 'rmdir')
  | 'read';

export interface DiskCall {
  readonly op: DiskOp;
  /** The purpose of the file: its path, without the part that differs in each run. */
  readonly fileKind: string;
  /** Below the folder; '' for the folder itself. */
  readonly path: string;
  /** The new path, for a rename. */
  readonly to: string;
  /** A hash of the native call stack: which part of SQLite or Node asks. */
  readonly stack: number;
  /** The nth call of this operation, kind of file and stack in its process. */
  readonly n: number;
  /** The error's number; 0: none. ECANCELED: the process was killed before the call. */
  readonly errno: number;
  /** When the call had ended, in ms since the epoch. */
  readonly at: number;
  readonly inode: bigint;
  readonly offset: number;
  /** Bytes of a write; the length that a truncate sets; of an open, 1 if it emptied the file. */
  readonly length: number;
  /** The bytes of a write, if the log keeps them. */
  readonly data: Uint8Array;
  /** The fault was here. */
  readonly hasFault: boolean;
}

const HEADER_BYTES = 72;

/** The log's calls. A record that was cut by the death of its process is left out. */
export function readDiskLog(path: string): DiskCall[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const calls: DiskCall[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const header = bytes.subarray(at, at + HEADER_BYTES);
    const lengths = [48, 52, 56, 60].map((place) => header.readUInt32LE(place));
    const end = at + HEADER_BYTES + lengths.reduce((sum, length) => sum + length, 0);
    if (end > bytes.length) break;
    let from = at + HEADER_BYTES;
    const [path, to, fileKind, data] = lengths.map((length) => {
      from += length;
      return bytes.subarray(from - length, from);
    });
    calls.push({
      op: DISK_OPS[header.readUInt32LE(0)]!,
      stack: header.readUInt32LE(4),
      n: header.readUInt32LE(8),
      errno: header.readUInt32LE(12),
      at: Number(header.readBigInt64LE(16)) / 1000,
      offset: Number(header.readBigInt64LE(24)),
      inode: header.readBigUInt64LE(32),
      length: Number(header.readBigUInt64LE(40)),
      hasFault: header.readUInt32LE(64) !== 0,
      path: path!.toString(),
      to: to!.toString(),
      fileKind: fileKind!.toString(),
      data: data!,
    });
    at = end;
  }
  return calls;
}
