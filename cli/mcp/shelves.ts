/** Folders and stacks as {@link CrawlShelf}. */
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { OpenedCrawl } from '../../api/crawl-place.ts';
import { listCrawls, openCrawl } from '../../api/open-crawl.ts';
import { CRAWL_ID } from '../../shared/core/crawl/crawl-id.ts';
import type { Control, CrawlEntry, CrawlPageRequest } from '../../shared/services/control/control.ts';
import { crawlPages } from '../../shared/services/control/list-crawls.ts';
import type { CrawlShelf } from './crawls.ts';

const FOLDER_LIST_MS = 2000;
const STACK_LIST_MS = 60_000;

/** The crawls in the folder and in the folders directly in it. `folder`: may be a crawl's own. */
export function folderShelf(folder: string): CrawlShelf {
  const whole = resolve(folder);
  const nameOf = (path: string): string => basename(resolve(path));
  const list = async () => {
    const all = await listCrawls(folder);
    return all.map(({ folder: at, state, pages, reason }) => ({ crawl: nameOf(at), state, pages, reason }));
  };
  return {
    name: whole,
    list,
    running: async () => (await list()).filter(({ state }) => state === 'running'),
    listMs: FOLDER_LIST_MS,
    async open(crawl) {
      if (crawl === basename(whole) && (await isCrawl(folder))) return openCrawl(folder);
      const names = await readdir(folder).catch(() => []);
      const found = names.find((name) => name === crawl);
      return found === undefined ? undefined : opened(openCrawl(join(folder, found)));
    },
  };
}

async function isCrawl(folder: string): Promise<boolean> {
  const crawl = await opened(openCrawl(folder));
  await crawl?.close();
  return crawl !== undefined;
}

/** The parts of a connection that are used. */
export interface ShelfStack {
  readonly control: Pick<Control, 'list'>;
  readonly openCrawl: (crawl: string) => Promise<OpenedCrawl>;
}

export function stackShelf(stack: string, { control, openCrawl: open }: ShelfStack): CrawlShelf {
  const list = async (page: CrawlPageRequest = {}) => {
    const all: CrawlEntry[] = [];
    for await (const crawls of crawlPages(control, page)) all.push(...crawls);
    return all;
  };
  return {
    name: stack,
    list: () => list(),
    running: () => list({ state: 'running' }),
    listMs: STACK_LIST_MS,
    async open(crawl) {
      const found = CRAWL_ID.test(crawl) ? await opened(open(crawl)) : undefined;
      // To close it would close the connection, which all crawls share.
      return found && { ...found, close: async () => {} };
    },
  };
}

/** Undefined if there is no such crawl. */
async function opened<Crawl>(opening: Promise<Crawl>): Promise<Crawl | undefined> {
  try {
    return await opening;
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (name === 'NoCrawl' || (name === 'ControlError' && code === 'notFound')) return undefined;
    throw error;
  }
}
