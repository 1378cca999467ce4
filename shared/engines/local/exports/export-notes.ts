/** How far the exports are that the API makes of the crawl in a folder: a file of JSON beside the folder of each. */
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Clock } from '../../../crawler/ports/clock.ts';
import {
  type CrawlExport,
  type ExportRequest,
  type ExportState,
  isOpenExport,
  newExportId,
} from '../../../services/control/crawl-export.ts';
import { newExportSchema } from '../../../services/control/request-schemas.ts';
import {
  type ExportNotes,
  type ExportProgress,
  type HeldExport,
  NO_PROGRESS,
} from '../../../services/exports/held-export.ts';
import { ExportFolder } from './export-folder.ts';

interface Note {
  readonly request: ExportRequest;
  readonly state: ExportState;
  readonly requestedAt: string;
  readonly endedAt?: string;
  readonly version: number;
  readonly tries: number;
  readonly progress: ExportProgress;
  readonly message?: string | undefined;
}

/** How often an export is begun of which no slice comes to its end. */
const MAX_TRIES = 3;
/** A note has some hundred bytes. */
const MAX_BYTES = 65_536;
const NOTE = /^([A-Za-z]{1,20}-\d{14}-[0-9a-f]{4})\.json$/;

/** The export whose note has this name, if it is one. */
export const exportIdOf = (name: string): string | undefined => NOTE.exec(name.replace(/\.part$/, ''))?.[1];

export class FolderExportNotes implements ExportNotes {
  readonly #crawl: CrawlId;
  readonly #folder: string;
  readonly #clock: Pick<Clock, 'now' | 'uuid'>;

  /** `folder`: that of the exports. `crawl`: the name in the answers. */
  constructor(crawl: CrawlId, folder: string, clock: Pick<Clock, 'now' | 'uuid'>) {
    this.#crawl = crawl;
    this.#folder = folder;
    this.#clock = clock;
  }

  async begin({ format, tables }: ExportRequest): Promise<CrawlExport> {
    const id = newExportId(format, this.#clock.now(), this.#clock.uuid());
    const note: Note = {
      request: { format, ...(tables && { tables }) },
      state: 'waiting',
      requestedAt: this.#time(),
      version: 0,
      tries: 0,
      progress: NO_PROGRESS,
    };
    await mkdir(this.#folder, { recursive: true });
    await this.#write(id, note);
    return this.#shown(id, note);
  }

  async list(): Promise<CrawlExport[]> {
    const found: CrawlExport[] = [];
    for (const id of await this.#ids()) {
      const note = await this.#read(id);
      if (note) found.push(this.#shown(id, note));
    }
    return found;
  }

  async load(id: string): Promise<CrawlExport | undefined> {
    const note = await this.#read(id);
    return note && this.#shown(id, note);
  }

  /** The next export that is neither done nor failed. An export that was tried too often fails. */
  async take(): Promise<HeldExport | undefined> {
    for (const id of await this.#ids()) {
      const note = await this.#read(id);
      if (!note || !isOpenExport(note.state)) continue;
      const { request, version, progress } = note;
      const held = { crawl: this.#crawl, id, request, version, progress, tries: note.tries + 1 };
      if (held.tries <= MAX_TRIES) {
        await this.#write(id, { ...note, state: 'running', tries: held.tries });
        return held;
      }
      await this.end(held, 'failed', note.message ?? `${MAX_TRIES} tries came to no end`);
    }
    return undefined;
  }

  async advance(held: HeldExport, progress: ExportProgress): Promise<HeldExport> {
    const next = { ...held, version: held.version + 1, progress, tries: 0 };
    const { version, tries } = next;
    await this.#change(held.id, { progress, version, tries });
    return next;
  }

  /** Keeps why a try has failed. */
  async fail({ id }: HeldExport, message: string): Promise<void> {
    await this.#change(id, { message });
  }

  async end({ id }: HeldExport, state: 'done' | 'failed', message?: string): Promise<void> {
    await this.#change(id, { state, endedAt: this.#time(), message });
  }

  /** Where the files of an export are written. */
  filesOf({ id }: Pick<HeldExport, 'id'>): ExportFolder {
    const out = join(this.#folder, id);
    return new ExportFolder(out, join(out, '.export-work'));
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.flatMap((name) => NOTE.exec(name)?.[1] ?? []).sort();
  }

  /** Undefined for a file that is not a note. */
  async #read(id: string): Promise<Note | undefined> {
    if (!NOTE.test(`${id}.json`)) return undefined;
    const path = this.#pathOf(id);
    try {
      if ((await stat(path)).size > MAX_BYTES) return undefined;
      const note = JSON.parse(await readFile(path, 'utf8')) as Note;
      return newExportSchema.safeParse(note.request).success ? note : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return undefined;
      throw error;
    }
  }

  async #change(id: string, changes: Partial<Note>): Promise<void> {
    const note = await this.#read(id);
    if (!note) throw new Error(`The export ${id} was deleted while it was made`);
    await this.#write(id, { ...note, ...changes });
  }

  /** A reader sees the note before or after. */
  async #write(id: string, note: Note): Promise<void> {
    const path = this.#pathOf(id);
    await writeFile(`${path}.part`, JSON.stringify(note));
    await rename(`${path}.part`, path);
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #shown(id: string, { request, state, requestedAt, endedAt, progress, message }: Note): CrawlExport {
    const ended = isOpenExport(state) ? {} : { endedAt, ...(message !== undefined && { message }) };
    const location = pathToFileURL(join(this.#folder, id, '/')).href;
    return { crawl: this.#crawl, id, ...request, state, location, requestedAt, ...progress, ...ended };
  }
}
