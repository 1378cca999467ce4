/** The {@link Archive} port on a folder of WARC files, with their indexes beside. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { WarcMember } from '../../../core/archive/warc-member.ts';
import { messageOf } from '../../../core/base/error-message.ts';
import { StorageFailed, storageFailure } from '../../../core/base/storage-failed.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import { boundMethods } from '../../../crawler/ports/bound-methods.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import { coalesced } from '../../coalesced.ts';
import { createWarcFile, type OpenWarcFile } from './archive-file.ts';
import { listWarcFiles, warcFileName, warcFilePattern, warcFilesPattern } from './archive-names.ts';
import { repairFolder } from './archive-repair.ts';
import { createPlacesWriter, type PlacesWriter } from './capture-places.ts';
import { createIndexWriter, type IndexWriter, placesPath } from './cdxj-files.ts';
import { addToIndex, type Captures, type CurrentFile, dropIndex, removePlaces } from './current-file.ts';
import { placeMembers } from './place-members.ts';
import type { FileArchiveJournal } from './warc-journal.ts';

export interface FileArchiveOptions {
  /** Created if it does not exist. A single archive at a time may write files of the prefix in it. */
  readonly folder: string;
  /** Where the files' CDXJ indexes go. `indexes` beside the folder unless given. */
  readonly indexFolder?: string;
  /** Files are called `PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz`. */
  readonly prefix: string;
  /** A file that reaches this size is closed; it is larger by at most one append. Default: 1 GB. */
  readonly maxBytes?: number;
  /** The gzip member, in pieces, that a new file of that name begins with. */
  readonly warcinfo: (filename: string) => readonly Uint8Array[];
  readonly clock: Pick<Clock, 'now'>;
  readonly journal: FileArchiveJournal;
  /** Keeps the places of captures of the file being written, so that the history of a URL is found quickly in it. */
  readonly keepsPlaces?: boolean;
  /** {@link repairFileArchive} was called, as it must be where several archives write in one folder. */
  readonly isRepaired?: boolean;
  /** Called with what had to be repaired, or was lost. */
  readonly warn?: (message: string) => void;
}

export interface FileArchive extends Archive {
  /**
   * Makes everything durable and gives the file being written its final name. Nothing may be appended after.
   */
  close(): Promise<void>;
}

const MAX_BYTES = 1_000_000_000;

/**
 * The archive can no longer write (disk full, folder gone). Every later call fails with the same cause. What
 * earlier flushes announced is safe; the rest is cut off when the folder is opened again.
 */
export class ArchiveFailed extends StorageFailed {
  override name = 'ArchiveFailed';
}

/**
 * Repairs what killed writers left in the folder: of the prefix, and of it with a number after, `strand` and
 * `strand-1`. To be called while no archive is open there, before the first of several is.
 */
export async function repairFileArchive(
  options: Pick<FileArchiveOptions, 'folder' | 'indexFolder' | 'prefix' | 'journal' | 'warn'>,
): Promise<void> {
  const { folder, indexFolder = indexFolderOf(folder), prefix, journal, warn = () => {} } = options;
  await repairFolder({ folder, indexFolder, pattern: warcFilesPattern(prefix), journal, warn });
}

const indexFolderOf = (folder: string): string => join(dirname(folder), 'indexes');

/**
 * Opens the folder, after repairing what a killed writer left in it. Appends are done one after the other,
 * through one buffer of 1 MiB; an append resolves when its bytes are in the buffer or the file. Locations
 * name the final file, which has `.open` after its name until it is closed.
 *
 * Soon after a file is closed, and at the latest when the archive is, its index is made of the `captures`
 * given with each append; not so if an append came without, or if that fails, as an index can be made at any
 * time (`cdxj-files.ts`).
 *
 * An append whose member fails while it is iterated leaves no trace and rejects with that error. A failing
 * disk ends the archive with {@link ArchiveFailed}: nothing is then known of bytes once accepted, so nothing
 * more is accepted.
 */
export async function openFileArchive(options: FileArchiveOptions): Promise<FileArchive> {
  const { folder, indexFolder = indexFolderOf(folder), prefix, journal, isRepaired = false, warn } = options;
  const pattern = warcFilePattern(prefix);
  await mkdir(folder, { recursive: true });
  await mkdir(indexFolder, { recursive: true });
  if (!isRepaired) await repairFolder({ folder, indexFolder, pattern, journal, warn: warn ?? (() => {}) });
  const serial = await nextSerial(folder, pattern);
  return boundMethods<FileArchive>(new WarcFolder({ ...options, indexFolder }, serial));
}

class WarcFolder implements FileArchive {
  readonly #options: FileArchiveOptions & { readonly indexFolder: string };
  #serial: number;
  #current: CurrentFile | undefined;
  #failure: ArchiveFailed | undefined;
  #isClosed = false;
  /** The indexes that are being made. Never rejects. */
  #indexing: Promise<void> = Promise.resolve();
  /** The end of the line of steps. Never rejects. */
  #line: Promise<unknown> = Promise.resolve();
  /** Steps in that line. */
  #waiting = 0;
  readonly #flush = coalesced(() => this.#inLine(() => this.#sync()));

  constructor(options: FileArchiveOptions & { readonly indexFolder: string }, serial: number) {
    this.#options = options;
    this.#serial = serial;
  }

  async append(members: readonly WarcMember[], captures?: Captures): Promise<RecordLocation[]> {
    if (this.#isClosed) throw new Error(`The archive in ${this.#options.folder} is closed`);
    if (members.length === 0) return [];
    return this.#appendAtOnce(members, captures) ?? this.#inLine(() => this.#appendAll(members, captures));
  }

  flush(): Promise<void> {
    return this.#flush();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      await this.#inLine(() => this.#finish());
    } finally {
      if (this.#failure && this.#current) {
        await this.#current.file.abandon().catch(() => {});
        await dropIndex(this.#current).catch(() => {});
      }
      await this.#indexing;
    }
  }

  /** Does `step` when all earlier steps are done. */
  #inLine<T>(step: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#line.then(() => {
      if (this.#failure) throw this.#failure;
      return step();
    });
    const leave = () => {
      this.#waiting--;
    };
    this.#line = done.then(leave, leave);
    return done;
  }

  /** Everything that touches disk or journal goes through here, so that no failure is forgotten. */
  async #orFail<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const place = `the archive in ${this.#options.folder} failed to ${what}`;
      const message = storageFailure(cause, place)?.message ?? `${place}: ${messageOf(cause)}`;
      this.#failure ??= new ArchiveFailed(message, { cause });
      throw this.#failure;
    }
  }

  /** Appends what only has to be copied to the buffer: without a promise for each step. Undefined: nothing was done. */
  #appendAtOnce(
    members: readonly WarcMember[],
    captures: Captures,
  ): RecordLocation[] | Promise<RecordLocation[]> | undefined {
    const to = this.#current;
    if (to === undefined || captures === undefined || this.#waiting > 0 || this.#failure) return undefined;
    const placed = placeMembers(to.file, members);
    if (placed === undefined || placed.end >= (this.#options.maxBytes ?? MAX_BYTES)) return undefined;
    const { pieces, locations } = placed;
    if (!to.file.addToBuffer(pieces)) return undefined;
    const indexed = this.#index(to, locations, captures);
    return indexed === undefined ? locations : this.#inLine(() => indexed.then(() => locations));
  }

  async #appendAll(members: readonly WarcMember[], captures: Captures): Promise<RecordLocation[]> {
    const to = this.#current ?? (await this.#begin());
    const start = to.file.size();
    let locations: RecordLocation[];
    try {
      locations = await this.#write(to.file, members);
    } catch (error) {
      if (!this.#failure) await this.#orFail(`cut ${to.file.name}`, () => to.file.cutTo(start));
      throw error;
    }
    await this.#index(to, locations, captures);
    if (to.file.size() >= (this.#options.maxBytes ?? MAX_BYTES)) await this.#finish();
    return locations;
  }

  async #write(file: OpenWarcFile, members: readonly WarcMember[]): Promise<RecordLocation[]> {
    const add = (pieces: readonly Uint8Array[]) => this.#orFail(`write ${file.name}`, () => file.add(pieces));
    const locations: RecordLocation[] = [];
    for (const member of members) {
      const offset = file.size();
      if (Symbol.asyncIterator in member) for await (const piece of member) await add([piece]);
      else if (!file.addToBuffer(member)) await add(member);
      locations.push({ file: file.name, offset, length: file.size() - offset });
    }
    return locations;
  }

  async #begin(): Promise<CurrentFile> {
    const { folder, indexFolder, prefix, warcinfo, clock, journal, keepsPlaces } = this.#options;
    const name = warcFileName(prefix, clock.now(), this.#serial);
    const lead = warcinfo(name);
    return this.#orFail(`create ${name}`, async () => {
      this.#serial++;
      // Known to the journal before it exists: whatever a crash leaves of it is known to hold nothing.
      journal.save(name, 0);
      const file = await createWarcFile(folder, name);
      const current: CurrentFile = {
        file,
        leadBytes: 0,
        savedBytes: 0,
        index: createIndexWriter(indexFolder, name),
        places: keepsPlaces ? createPlacesWriter(placesPath(indexFolder, name)) : undefined,
      };
      this.#current = current;
      await file.add(lead);
      current.leadBytes = file.size();
      return current;
    });
  }

  async #sync(): Promise<void> {
    const current = this.#current;
    if (!current || current.file.size() <= Math.max(current.savedBytes, current.leadBytes)) return;
    const { file } = current;
    current.savedBytes = await this.#orFail(`make ${file.name} durable`, async () => {
      const bytes = await file.sync();
      this.#options.journal.save(file.name, bytes);
      return bytes;
    });
    await current.places?.flush().catch((error: Error) => this.#dropPlaces(current, error));
  }

  /** They are not needed: the file is read whole without them. */
  async #dropPlaces(of: CurrentFile, { message }: Error): Promise<void> {
    this.#options.warn?.(`The places of captures in ${of.file.name} could not be written: ${message}`);
    await removePlaces(of).catch(() => {});
  }

  async #finish(): Promise<void> {
    if (!this.#current) return;
    const { file, leadBytes, index, places } = this.#current;
    const isEmpty = file.size() === leadBytes;
    await this.#sync();
    await this.#orFail(`close ${file.name}`, async () => {
      await (isEmpty ? file.remove() : file.finish());
      this.#options.journal.close(file.name);
    });
    this.#current = undefined;
    if (isEmpty) await index?.drop();
    else if (index) this.#finishIndex(file.name, index, places);
  }

  #finishIndex(name: string, index: IndexWriter, places: PlacesWriter | undefined): void {
    this.#indexing = this.#indexing
      .then(() => index.finish())
      .then(() => places?.remove())
      .catch((error: Error) => this.#warnOfIndex(name, error));
  }

  #index(to: CurrentFile, locations: readonly RecordLocation[], captures: Captures) {
    return addToIndex(to, { locations, captures }, (error) => this.#warnOfIndex(to.file.name, error));
  }

  #warnOfIndex(name: string, { message }: Error): void {
    this.#options.warn?.(
      `No index of WARC file ${name} could be written, it is made when it is requested: ${message}`,
    );
  }
}

async function nextSerial(folder: string, pattern: RegExp): Promise<number> {
  let highest = -1;
  for (const { file } of await listWarcFiles(folder)) {
    highest = Math.max(highest, Number(pattern.exec(file)?.[1] ?? -1));
  }
  return highest + 1;
}
