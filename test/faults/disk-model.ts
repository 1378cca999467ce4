/**
 * The contents of a folder after a loss of power, worked out from the log of the calls that wrote it. Only
 * synced data is sure to be there: the bytes of a file by a sync of the file, a name by a sync of its folder
 * (POSIX, fsync). All other data may be there or not: nothing, all, or some of it in any order, down to
 * single sectors of a write.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiskCall } from './disk-log.ts';

/**
 * Which unsynced changes are found after the loss. `none`; `all`; `ordered`: those before some moment, as a
 * journaling file system keeps them; `any`: each by chance, and of a write each page, or half of one.
 */
export const LOSSES = ['none', 'all', 'ordered', 'any'] as const;
export type Loss = (typeof LOSSES)[number];

/** SQLite's page, and the kernel's. */
const PAGE_BYTES = 4096;
/** The unit that a disk writes whole. */
const SECTOR_BYTES = 512;

type Change = { readonly at: number } & (
  | { readonly kind: 'write'; readonly offset: number; readonly data: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number }
);

interface FileState {
  durable: Uint8Array;
  pending: Change[];
}

type Entry = FileState | 'folder';

/** A change of names: what it takes away, and what it puts where. */
interface NameChange {
  readonly at: number;
  readonly removes?: string;
  readonly adds?: readonly [path: string, entry: Entry];
}

/** The contents of a folder, by path below it. */
export type Contents = ReadonlyMap<string, Uint8Array | 'folder'>;

export interface DiskModel {
  apply(call: DiskCall): void;
  /** After all calls, as the process would read it. */
  contents(): Contents;
  /** After a loss of power. */
  afterLoss(loss: Loss, random: () => number): Contents;
}

/** A disk on which all of `begun` is durable, as it is in `folder` now. */
export function createDiskModel(folder?: string): DiskModel {
  const files = new Map<bigint, FileState>();
  const durable = new Map<string, Entry>();
  /** Names as the process sees them. */
  const current = new Map<string, Entry>();
  let pending: NameChange[] = [];
  let calls = 0;

  if (folder !== undefined) {
    for (const [path, content] of readContents(folder)) {
      const entry: Entry = content === 'folder' ? content : { durable: content, pending: [] };
      if (entry !== 'folder') files.set(lstatSync(join(folder, path), { bigint: true }).ino, entry);
      durable.set(path, entry);
      current.set(path, entry);
    }
  }

  function fileOf({ inode, path }: DiskCall): FileState {
    const file = files.get(inode);
    if (!file) throw new Error(`the log of the disk does not say where ${path} comes from`);
    return file;
  }

  function rename(change: Omit<NameChange, 'at'>): void {
    pending.push({ at: calls, ...change });
    applyNames(current, { at: calls, ...change });
  }

  function sync(call: DiskCall): void {
    if (call.path === '' || current.get(call.path) === 'folder') {
      const isHere = ({ removes, adds }: NameChange) => parentOf(adds?.[0] ?? removes!) === call.path;
      for (const change of pending.filter(isHere)) applyNames(durable, change);
      pending = pending.filter((change) => !isHere(change));
      return;
    }
    const file = fileOf(call);
    // After a failed sync, Linux treats the pages as written: they are lost, and no later sync reports it.
    if (call.errno === 0) file.durable = withChanges(file.durable, file.pending);
    file.pending = [];
  }

  return {
    apply(call) {
      calls++;
      if (call.errno === constants.errno.ECANCELED) return;
      if (call.op === 'sync') return sync(call);
      if (call.errno !== 0) return;
      switch (call.op) {
        case 'create': {
          const file: FileState = { durable: new Uint8Array(), pending: [] };
          files.set(call.inode, file);
          return rename({ adds: [call.path, file] });
        }
        case 'open':
          if (call.length === 1) fileOf(call).pending.push({ at: calls, kind: 'truncate', length: 0 });
          return;
        case 'write':
          if (call.data.length < call.length) throw new Error('the log of the disk has no data');
          fileOf(call).pending.push({ at: calls, kind: 'write', offset: call.offset, data: call.data });
          return;
        case 'truncate':
          fileOf(call).pending.push({ at: calls, kind: 'truncate', length: call.length });
          return;
        case 'mkdir':
          // The folder itself is taken to be there.
          return call.path === '' ? undefined : rename({ adds: [call.path, 'folder'] });
        case 'rename': {
          const entry = current.get(call.path);
          if (entry) rename({ removes: call.path, adds: [call.to, entry] });
          return;
        }
        case 'unlink':
        case 'rmdir':
          return rename({ removes: call.path });
      }
    },
    contents: () => materialize(current, (file) => withChanges(file.durable, file.pending)),
    afterLoss(loss, random) {
      const cut = loss === 'ordered' ? Math.floor(random() * (calls + 1)) : 0;
      const isKept = ({ at }: { readonly at: number }): boolean =>
        loss === 'all' || (loss === 'ordered' && at <= cut) || (loss === 'any' && random() < 0.5);
      const names = new Map(durable);
      for (const change of pending) if (isKept(change)) applyNames(names, change);
      const keptOf = (change: Change): Change[] =>
        loss === 'any' && change.kind === 'write' ? piecesOf(change, random) : isKept(change) ? [change] : [];
      return materialize(names, (file) => withChanges(file.durable, file.pending.flatMap(keptOf)));
    },
  };
}

/** The folder's contents become these. SQLite's shared memory is none of a disk's. */
export function writeContents(folder: string, contents: Contents): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (content === 'folder') mkdirSync(join(folder, path), { recursive: true });
    else if (!path.endsWith('-shm')) writeFileSync(join(folder, path), content);
  }
}

export function readContents(folder: string): Contents {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const full = join(entry.parentPath, entry.name);
      return [full.slice(folder.length + 1), entry.isDirectory() ? 'folder' : readFileSync(full)];
    }),
  );
}

const parentOf = (path: string): string => (path.includes('/') ? dirname(path) : '');

function applyNames(names: Map<string, Entry>, { removes, adds }: NameChange): void {
  if (removes !== undefined) names.delete(removes);
  if (adds) names.set(...adds);
}

/** A name whose folder is not there is not there either. */
function materialize(names: ReadonlyMap<string, Entry>, bytesOf: (file: FileState) => Uint8Array): Contents {
  const hasPlace = (path: string): boolean => {
    const parent = parentOf(path);
    return parent === '' || (names.get(parent) === 'folder' && hasPlace(parent));
  };
  const there = [...names].filter(([path]) => hasPlace(path));
  return new Map(there.map(([path, entry]) => [path, entry === 'folder' ? entry : bytesOf(entry)]));
}

function withChanges(before: Uint8Array, changes: readonly Change[]): Uint8Array {
  let size = before.length;
  let largest = size;
  for (const change of changes) {
    size = change.kind === 'truncate' ? change.length : Math.max(size, change.offset + change.data.length);
    largest = Math.max(largest, size);
  }
  const bytes = new Uint8Array(largest);
  bytes.set(before);
  size = before.length;
  for (const change of changes) {
    if (change.kind === 'write') {
      bytes.set(change.data, change.offset);
      size = Math.max(size, change.offset + change.data.length);
      continue;
    }
    if (change.length < size) bytes.fill(0, change.length, size);
    size = change.length;
  }
  return bytes.slice(0, size);
}

/** The pages of a write that have reached the disk, some of them in part. */
function piecesOf(write: Change & { kind: 'write' }, random: () => number): Change[] {
  const { at, offset, data } = write;
  const pieces: Change[] = [];
  for (let from = 0; from < data.length; ) {
    const to = Math.min(data.length, (Math.floor((offset + from) / PAGE_BYTES) + 1) * PAGE_BYTES - offset);
    const chance = random();
    const isTorn = chance >= 0.45 && chance < 0.55 && to - from > SECTOR_BYTES;
    const end = isTorn ? from + SECTOR_BYTES * Math.ceil(random() * ((to - from) / SECTOR_BYTES - 1)) : to;
    if (chance < 0.55)
      pieces.push({ at, kind: 'write', offset: offset + from, data: data.subarray(from, end) });
    from = to;
  }
  return pieces;
}
