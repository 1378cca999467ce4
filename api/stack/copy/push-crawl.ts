/** Copies the crawl of a folder to a stack. */

import { version } from '../../../shared/core/base/version.ts';
import { BY_OPERATOR, reasonIn } from '../../../shared/core/causes/status-reason.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import { StaleTurn } from '../../../shared/crawler/ports/stale-turn.ts';
import { itemsPrefix, skipsPrefix } from '../../../shared/engines/aws/archive/item-folders.ts';
import type { CopiedCrawl as CopyEnd } from '../../../shared/engines/aws/state/registry.ts';
import { loadJoinedFiles } from '../../../shared/engines/local/archive/joined-files.ts';
import { foldersOf, type LocalEngine, openLocalEngine } from '../../../shared/engines/local/engine.ts';
import { checkTrusted } from '../../../shared/engines/local/folder-trust.ts';
import { readSkips, skipsBeyond } from '../../../shared/engines/local/items/skip-log.ts';
import { ownKeyFile } from '../../../shared/engines/local/own-folder.ts';
import { waitingLinks } from '../../../shared/engines/local/waiting-links.ts';
import { beginCopy } from '../../../shared/services/control/adopt-crawl.ts';
import { ControlError } from '../../../shared/services/control/control.ts';
import { copyHosts } from '../../../shared/services/control/copy-hosts.ts';
import type { CopiedCrawl, CopyProgress, PushOptions } from '../../copy-options.ts';
import { type OpenedFolder, openFolder } from '../../local/open-folder.ts';
import { storedItems } from '../../local/stored-items.ts';
import type { StackConnection } from '../connect-stack.ts';
import { uploadArchive } from './copy-archive.ts';
import { pushState } from './copy-state.ts';
import { storeLines } from './stored-lines.ts';

/**
 * The crawl is in the stack when this resolves, and does not run there. Safe to repeat after an interruption. Throws
 * `NoCrawl`, `FolderInUse` and `ControlError`.
 */
export async function pushCrawl(
  folder: string,
  connection: StackConnection,
  { crawl: name, trustSettings = false, onProgress = () => {} }: PushOptions & { readonly crawl?: CrawlId },
): Promise<CopiedCrawl> {
  const opened = await openFolder(folder);
  const { reader, crawl, record } = opened;
  try {
    if (!trustSettings) checkSettings(folder, opened);
  } finally {
    reader.close();
  }
  const engine = await openLocalEngine(folder, {
    crawl,
    config: parseConfig(record.config),
    software: `Strand/${version}`,
    warcPrefix: 'strand',
  });
  try {
    return await new Push({ folder, engine, crawl, record, to: name ?? crawl }, connection, onProgress).run();
  } finally {
    await engine.close();
  }
}

/** The workers of the stack would obey them. The settings that stay behind do not matter. */
function checkSettings(
  folder: string,
  { reader: { registry }, crawl, record: { config } }: OpenedFolder,
): void {
  const [dedupeFrom, cache] = (['dedupeFrom', 'cache'] as const).map(registry.keptFolder);
  checkTrusted(
    folder,
    { crawl, config, dedupeFrom, cache },
    { mark: registry.keptMark(), keyFile: ownKeyFile(process.env), given: STAYS },
  );
}

const STAYS = { identity: 'not copied', cache: 'not copied', dedupeFrom: 'not copied' } as const;

interface PushedFolder {
  readonly folder: string;
  readonly engine: LocalEngine;
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  readonly to: CrawlId;
}

class Push {
  readonly #from: PushedFolder;
  readonly #connection: StackConnection;
  readonly #onProgress: (progress: CopyProgress) => void;

  constructor(from: PushedFolder, connection: StackConnection, onProgress: (progress: CopyProgress) => void) {
    this.#from = from;
    this.#connection = connection;
    this.#onProgress = onProgress;
  }

  async run(): Promise<CopiedCrawl> {
    const { engine, crawl, record, to } = this.#from;
    const stack = this.#connection.copies;
    const sites = record.sites && (await engine.registry.readSites(crawl, record.sites));
    const leftOut = await beginCopy(stack.control, stack.policy, to, { record, sites });
    const warcFiles = await this.#archive();
    const items = await this.#items();
    await this.#skips();
    const tooLarge = await pushState(foldersOf(this.#from.folder).state, stack.engine.state, to);
    const hosts = await this.#hosts();
    const sent = await this.#links();
    await stack.engine.registry.recount(to, stack.engine.ledgers);
    const { activeMs } = await engine.registry.totals(crawl);
    await stack.engine.registry.endCopy(to, { ...standing(record, sent), activeMs });
    return { crawl: to, hosts, warcFiles, items, lacks: this.#lacks(leftOut, tooLarge) };
  }

  #archive(): Promise<number> {
    const { engine, folder, to } = this.#from;
    const target = this.#connection.copies.bucketOf(to);
    return uploadArchive(foldersOf(folder), loadJoinedFiles(engine.database), target, (done, all) =>
      this.#onProgress({ step: 'archive', done, all }),
    );
  }

  async #items(): Promise<number> {
    const { folder, to } = this.#from;
    const items = counted(storedItems(folder), (done) => this.#onProgress({ step: 'items', done }));
    return storeLines(this.#connection.copies.bucketOf(to), itemsPrefix(to), items);
  }

  async #skips(): Promise<void> {
    const { engine, crawl, to } = this.#from;
    const beyond = skipsBeyond(engine.database, crawl);
    const lines = counted(readSkips(engine.database, crawl), (done) =>
      this.#onProgress({ step: 'skips', done }),
    );
    async function* all() {
      yield* lines;
      if (beyond > 0) yield { beyond };
    }
    await storeLines(this.#connection.copies.bucketOf(to), skipsPrefix(to), all());
  }

  async #hosts(): Promise<number> {
    const { engine, crawl, to } = this.#from;
    const { engine: target } = this.#connection.copies;
    const { hosts: all } = await engine.registry.totals(crawl);
    try {
      return await copyHosts(
        { ledgers: engine.ledgers, crawl },
        { ledgers: target.ledgers, crawl: to },
        (done) => this.#onProgress({ step: 'hosts', done, all }),
      );
    } catch (error) {
      if (!(error instanceof StaleTurn)) throw error;
      throw new ControlError(
        'conflict',
        `What an earlier, interrupted push has left of ${to} in the stack has gone on: delete it there, and push again under another name`,
        'crawl',
      );
    }
  }

  /** Sends the links that are on their way to their hosts. Returns how many. */
  async #links(): Promise<number> {
    const { engine, to } = this.#from;
    const { exchange } = this.#connection.copies.engine;
    let sent = 0;
    for (const links of waitingLinks(engine.database)) {
      await exchange.send({ crawl: to, links });
      sent += links.length;
    }
    return sent;
  }

  #lacks(leftOut: readonly string[], tooLarge: readonly string[]): string[] {
    const { keptFolder } = this.#from.engine.registry;
    return [
      ...leftOut.map((key) => `the setting ${key}, which a stack decides for itself`),
      ...tooLarge.map((key) => `the state ${quoted(key)} of the hooks, which is too large for a stack`),
      ...(['dedupeFrom', 'cache'] as const)
        .filter((use) => keptFolder(use) !== undefined)
        .map((use) => `the folder of ${use}, which is on this machine`),
    ];
  }
}

/** The status there. A crawl that was interrupted is paused: the operator says when it goes on. */
function standing(record: CrawlRecord, linksSent: number): Pick<CopyEnd, 'status' | 'why'> {
  const { status } = record;
  if (status === 'running' || (status === 'finished' && linksSent > 0))
    return { status: 'paused', why: BY_OPERATOR };
  return { status, why: reasonIn(record) };
}

async function* counted<T>(
  values: AsyncIterable<T> | Iterable<T>,
  onCount: (count: number) => void,
): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for await (const value of values) {
    yield value;
    if (++count % 10_000 === 0) onCount(count);
  }
  if (count > 0) onCount(count);
}
