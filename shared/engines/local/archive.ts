/** The {@link Archive} port on a folder of WARC files. */
import { mkdir } from 'node:fs/promises';
import type { Archive, Clock, RecordLocation, WarcMember } from '../../ports.ts';
import { coalesced } from '../coalesced.ts';
import { createWarcFile, type OpenWarcFile } from './archive-file.ts';
import { type FileArchiveJournal, mendFolder } from './archive-mend.ts';
import { listWarcFiles, warcFileName, warcFilePattern } from './archive-names.ts';

export type { FileArchiveJournal } from './archive-mend.ts';
export { listWarcFiles, type WarcFileEntry } from './archive-names.ts';

export interface FileArchiveOptions {
  /** Made if it is not there. One process at a time may write files of the prefix in it. */
  readonly folder: string;
  /** Files are called `PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz`. */
  readonly prefix: string;
  /** A file that reaches this size is closed; it is larger by at most one append. */
  readonly maxBytes?: number;
  /** The gzip member, in pieces, that a new file of that name begins with. */
  readonly warcinfo: (filename: string) => readonly Uint8Array[];
  readonly clock: Pick<Clock, 'now'>;
  readonly journal: FileArchiveJournal;
  /** Hears of what had to be mended, or was lost. */
  readonly warn?: (message: string) => void;
}

export interface FileArchive extends Archive {
  /** Makes everything durable and gives the file being written its final name. Nothing may be appended after. */
  close(): Promise<void>;
}

interface CurrentFile {
  readonly file: OpenWarcFile;
  /** Bytes of its warcinfo record. */
  leadBytes: number;
  /** Bytes known to the journal. */
  savedBytes: number;
}

/**
 * The archive can no longer write (disk full, folder gone). Every later call fails with the same cause. What earlier
 * flushes announced is safe; the rest is cut off when the folder is opened again.
 */
export class ArchiveFailed extends Error {
  override name = 'ArchiveFailed';
}

/**
 * Opens the folder, after mending what a killed writer left in it. Appends are done one after the other, through one
 * buffer of 1 MiB; an append resolves when its bytes are in the buffer or the file. Locations name the final file,
 * which has `.open` after its name until it is closed.
 *
 * An append whose member fails while it is iterated leaves no trace and rejects with that error. A failing disk ends
 * the archive with {@link ArchiveFailed}: nothing is then known of bytes once accepted, so nothing more is accepted.
 */
export async function openFileArchive(options: FileArchiveOptions): Promise<FileArchive> {
  const { folder, prefix, maxBytes = 1_000_000_000, warcinfo, clock, journal, warn = () => {} } = options;
  const pattern = warcFilePattern(prefix);
  await mkdir(folder, { recursive: true });
  await mendFolder({ folder, pattern, journal, warn });
  let serial = await nextSerial(folder, pattern);
  let current: CurrentFile | undefined;
  let failure: ArchiveFailed | undefined;
  let isClosed = false;

  /** The end of the line of steps; never rejects. */
  let line: Promise<unknown> = Promise.resolve();
  function inLine<T>(step: () => Promise<T>): Promise<T> {
    const done = line.then(() => {
      if (failure) throw failure;
      return step();
    });
    line = done.catch(() => {});
    return done;
  }

  /** Everything that touches disk or journal goes through here, so that no failure is forgotten. */
  async function orFail<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const why = (cause as Error).message;
      failure ??= new ArchiveFailed(`The archive in ${folder} failed to ${what}: ${why}`, { cause });
      throw failure;
    }
  }

  async function begin() {
    const name = warcFileName(prefix, clock.now(), serial);
    const lead = warcinfo(name);
    return orFail(`create ${name}`, async () => {
      serial++;
      // Known to the journal before it exists: whatever a crash leaves of it is known to hold nothing.
      journal.save(name, 0);
      const file = await createWarcFile(folder, name);
      current = { file, leadBytes: 0, savedBytes: 0 };
      for (const piece of lead) await file.add(piece);
      current.leadBytes = file.size();
      return current;
    });
  }

  async function sync(): Promise<void> {
    if (!current || current.file.size() <= Math.max(current.savedBytes, current.leadBytes)) return;
    const { file } = current;
    current.savedBytes = await orFail(`make ${file.name} durable`, async () => {
      const bytes = await file.sync();
      journal.save(file.name, bytes);
      return bytes;
    });
  }

  async function finish(): Promise<void> {
    if (!current) return;
    const { file, leadBytes } = current;
    const isEmpty = file.size() === leadBytes;
    await sync();
    await orFail(`close ${file.name}`, async () => {
      await (isEmpty ? file.remove() : file.finish());
      journal.close(file.name);
    });
    current = undefined;
  }

  async function appendAll(members: readonly WarcMember[]): Promise<RecordLocation[]> {
    const { file } = current ?? (await begin());
    const start = file.size();
    const locations: RecordLocation[] = [];
    const add = (piece: Uint8Array) => orFail(`write ${file.name}`, () => file.add(piece));
    try {
      for (const member of members) {
        const offset = file.size();
        if (Symbol.asyncIterator in member) for await (const piece of member) await add(piece);
        else for (const piece of member) await add(piece);
        locations.push({ file: file.name, offset, length: file.size() - offset });
      }
    } catch (error) {
      if (!failure) await orFail(`cut ${file.name}`, () => file.cutTo(start));
      throw error;
    }
    if (file.size() >= maxBytes) await finish();
    return locations;
  }

  return {
    async append(members) {
      if (isClosed) throw new Error(`The archive in ${folder} is closed`);
      return members.length === 0 ? [] : inLine(() => appendAll(members));
    },

    flush: coalesced(() => inLine(sync)),

    async close() {
      if (isClosed) return;
      isClosed = true;
      try {
        await inLine(finish);
      } finally {
        if (failure) await current?.file.abandon().catch(() => {});
      }
    },
  };
}

async function nextSerial(folder: string, pattern: RegExp): Promise<number> {
  let highest = -1;
  for (const { file } of await listWarcFiles(folder)) {
    highest = Math.max(highest, Number(pattern.exec(file)?.[1] ?? -1));
  }
  return highest + 1;
}
