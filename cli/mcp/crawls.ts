/** The crawls that a server shows: of a folder, or of a stack. Opened when they are asked for, closed when they rest. */
import type { OpenedCrawl } from '../../api/crawl-place.ts';
import { quoted, shorten } from '../../shared/core/text/printable.ts';
import { ToolError } from './tool-error.ts';

export interface CrawlListing {
  readonly crawl: string;
  readonly state: string;
  readonly pages: number;
  readonly reason?: string | undefined;
}

/** Where crawls are kept. */
export interface CrawlShelf {
  /** A name of the folder or stack, for the keys of files about it. */
  readonly name: string;
  list(): Promise<readonly CrawlListing[]>;
  /** The crawls that run. */
  running(): Promise<readonly CrawlListing[]>;
  /** How long a list of all counts as new: a stack with thousands reads each. */
  readonly listMs: number;
  /** Opens the crawl of this name; undefined if there is none. No name is used as a path before it is found in a list. */
  open(crawl: string): Promise<OpenedCrawl | undefined>;
}

interface Kept {
  readonly crawl: Promise<OpenedCrawl | undefined>;
  users: number;
  closing?: NodeJS.Timeout;
}

const REST_MS = 60_000;
const MAX_NAMED = 20;
/** Crawls that are looked through for a URL, or a host. */
const MAX_ASKED = 50;

export class Crawls {
  readonly name: string;
  readonly #shelf: CrawlShelf;
  readonly #kept = new Map<string, Kept>();
  #listed: { readonly at: number; readonly list: Promise<readonly CrawlListing[]> } | undefined;

  constructor(shelf: CrawlShelf) {
    this.#shelf = shelf;
    this.name = shelf.name;
  }

  list(): Promise<readonly CrawlListing[]> {
    const now = performance.now();
    if (this.#listed === undefined || now - this.#listed.at > this.#shelf.listMs)
      this.#listed = { at: now, list: this.#shelf.list() };
    return this.#listed.list;
  }

  /** Something has begun or ended. */
  forgetList(): void {
    this.#listed = undefined;
  }

  /**
   * Calls `use` with the crawl of that name, and its name here; with the only one if there is one and none is named. (A crawl in a
   * folder has another name of its own.)
   */
  async with<T>(name: string | undefined, use: (crawl: OpenedCrawl, name: string) => Promise<T>): Promise<T> {
    const wanted = name ?? (await this.#only());
    const kept = this.#keep(wanted);
    try {
      const crawl = await kept.crawl;
      if (crawl === undefined) throw await this.#unknown(wanted);
      return await use(crawl, wanted);
    } finally {
      this.#release(wanted, kept);
    }
  }

  /** Calls `use` with one crawl after the other until it returns a value: with all, or with those that run. */
  async first<T>(
    use: (crawl: OpenedCrawl, listing: CrawlListing) => Promise<T | undefined>,
    which: 'all' | 'running' = 'all',
  ): Promise<T | undefined> {
    const list = which === 'all' ? await this.list() : await this.#shelf.running();
    const wanted = list.filter(({ state }) => state !== 'unreadable');
    for (const listing of wanted.slice(0, MAX_ASKED)) {
      const found = await this.with(listing.crawl, (crawl) => use(crawl, listing));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const [name, kept] of this.#kept) await this.#end(name, kept);
  }

  async #only(): Promise<string> {
    const list = await this.list();
    const [first, second] = list;
    if (first !== undefined && second === undefined) return first.crawl;
    throw new ToolError('crawlMissing', `Name a crawl: ${namesOf(list)}.`);
  }

  async #unknown(name: string): Promise<ToolError> {
    return new ToolError(
      'unknownCrawl',
      `There is no crawl ${quoted(shorten(name, 60))}. There are: ${namesOf(await this.list())}.`,
    );
  }

  #keep(name: string): Kept {
    let kept = this.#kept.get(name);
    if (kept === undefined) {
      kept = { crawl: this.#shelf.open(name), users: 0 };
      this.#kept.set(name, kept);
    }
    clearTimeout(kept.closing);
    kept.users++;
    return kept;
  }

  /** A crawl that was not found, or could not be opened, is looked for again. */
  #release(name: string, kept: Kept): void {
    if (--kept.users > 0) return;
    kept.closing = setTimeout(() => void this.#end(name, kept), REST_MS);
    kept.closing.unref();
    const forget = () => {
      if (kept.users === 0) void this.#end(name, kept);
    };
    kept.crawl.then((crawl) => crawl === undefined && forget(), forget);
  }

  async #end(name: string, kept: Kept): Promise<void> {
    clearTimeout(kept.closing);
    if (this.#kept.get(name) === kept) this.#kept.delete(name);
    const crawl = await kept.crawl.catch(() => undefined);
    await crawl?.close();
  }
}

function namesOf(list: readonly CrawlListing[]): string {
  if (list.length === 0) return 'none yet';
  const names = list.slice(0, MAX_NAMED).map(({ crawl }) => crawl);
  return `${names.join(', ')}${list.length > MAX_NAMED ? `, and ${list.length - MAX_NAMED} more (list_crawls)` : ''}`;
}
