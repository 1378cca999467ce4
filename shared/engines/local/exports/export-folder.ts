/** An export in a folder: its files, and what it keeps meanwhile in a folder of its own. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReadAt } from '../../../core/archive/scan-members.ts';
import type { ExportFile, ExportStore } from '../../../services/exports/export-store.ts';
import { readPath } from '../archive/read-handle.ts';

interface PausedFile {
  readonly name: string;
  readonly bytes: number;
}

export class ExportFolder implements ExportStore {
  readonly hasFolders = true;
  readonly #out: string;
  readonly #work: string;
  readonly #made = new Set<string>();

  constructor(out: string, work: string) {
    this.#out = out;
    this.#work = work;
  }

  create(name: string): FolderFile {
    return this.resume({ name, bytes: 0 });
  }

  resume(paused: PausedFile): FolderFile {
    const path = join(this.#out, paused.name);
    // Beside it, another file of the export could have the unfinished one's name.
    const unfinished = join(this.#work, createHash('sha256').update(paused.name).digest('hex'));
    const makeFolders = async () => {
      await this.#makeFolder(this.#work);
      await this.#makeFolder(dirname(path));
    };
    return new FolderFile({ path, unfinished, makeFolders }, paused);
  }

  async putWork(name: string, body: Uint8Array): Promise<void> {
    await this.#makeFolder(this.#work);
    await writeFile(join(this.#work, name), body);
  }

  async readWork(name: string, bytes?: number): Promise<Uint8Array> {
    return (await readFile(join(this.#work, name))).subarray(0, bytes);
  }

  workReader(name: string, bytes: number): ReadAt {
    return readPath(join(this.#work, name), bytes);
  }

  async deleteWork(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#work, name), { force: true });
  }

  async deleteAllWork(): Promise<void> {
    await rm(this.#work, { recursive: true, force: true });
    this.#made.delete(this.#work);
  }

  async #makeFolder(path: string): Promise<void> {
    if (this.#made.has(path)) return;
    await mkdir(path, { recursive: true });
    this.#made.add(path);
  }
}

/** A file that is not a part of an export. */
export const createFile = (path: string): ExportFile =>
  new FolderFile({ path, unfinished: `${path}.part`, makeFolders: async () => {} }, { name: path, bytes: 0 });

interface FilePlace {
  readonly path: string;
  /** Its path until it is complete. */
  readonly unfinished: string;
  readonly makeFolders: () => Promise<void>;
}

/** Written together. */
const WRITE_BYTES = 1024 * 1024;

class FolderFile implements ExportFile {
  readonly #place: FilePlace;
  readonly #given: PausedFile;
  #handle: FileHandle | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #bytes: number;

  constructor(place: FilePlace, given: PausedFile) {
    this.#place = place;
    this.#given = given;
    this.#bytes = given.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(bytes: Uint8Array): Promise<void> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#bytes += bytes.length;
    if (this.#heldBytes >= WRITE_BYTES) await this.#write();
  }

  async complete(): Promise<void> {
    await this.#write();
    await this.#close();
    await rename(this.#place.unfinished, this.#place.path);
  }

  async pause(): Promise<PausedFile> {
    await this.#write();
    await this.#close();
    return { name: this.#given.name, bytes: this.#bytes };
  }

  async abort(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.#place.unfinished, { force: true }).catch(() => {});
  }

  async #write(): Promise<void> {
    const handle = await this.#open();
    const body = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    await handle.writeFile(body);
  }

  async #open(): Promise<FileHandle> {
    if (this.#handle) return this.#handle;
    await this.#place.makeFolders();
    const { bytes } = this.#given;
    this.#handle = await open(this.#place.unfinished, bytes === 0 ? 'w' : 'a');
    // An earlier try of the slice may have added more.
    if (bytes > 0) await this.#handle.truncate(bytes);
    return this.#handle;
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}
