/** An export in a folder: its files, and what it keeps meanwhile in a folder of its own. */
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

  resume({ name, bytes }: PausedFile): FolderFile {
    const path = join(this.#out, name);
    return new FolderFile(path, { name, bytes }, () => this.#makeFolder(dirname(path)));
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
  new FolderFile(path, { name: path, bytes: 0 }, async () => {});

/** Written together. */
const WRITE_BYTES = 1024 * 1024;

class FolderFile implements ExportFile {
  readonly #path: string;
  readonly #given: PausedFile;
  readonly #makeParent: () => Promise<void>;
  #handle: FileHandle | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #bytes: number;

  constructor(path: string, given: PausedFile, makeParent: () => Promise<void>) {
    this.#path = path;
    this.#given = given;
    this.#bytes = given.bytes;
    this.#makeParent = makeParent;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Its name until it is complete. */
  get #unfinished(): string {
    return `${this.#path}.part`;
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
    await rename(this.#unfinished, this.#path);
  }

  async pause(): Promise<PausedFile> {
    await this.#write();
    await this.#close();
    return { name: this.#given.name, bytes: this.#bytes };
  }

  async abort(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.#unfinished, { force: true }).catch(() => {});
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
    await this.#makeParent();
    const { bytes } = this.#given;
    this.#handle = await open(this.#unfinished, bytes === 0 ? 'w' : 'a');
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
