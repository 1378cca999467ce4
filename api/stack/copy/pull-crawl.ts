/** Copies a crawl of a stack to a folder of this machine. */
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { version } from '../../../shared/core/base/version.ts';
import { reasonIn } from '../../../shared/core/causes/status-reason.ts';
import { parseConfig } from '../../../shared/core/crawl/config.ts';
import { CrawlExists } from '../../../shared/core/crawl/crawl-errors.ts';
import type { CrawlId } from '../../../shared/core/crawl/crawl-id.ts';
import { quoted } from '../../../shared/core/text/printable.ts';
import type { CrawlRecord } from '../../../shared/crawler/ports/crawl-registry.ts';
import { stackItems } from '../../../shared/engines/aws/archive/stack-items.ts';
import { type JoinedFiles, saveJoinedFiles } from '../../../shared/engines/local/archive/joined-files.ts';
import { holdsCrawl, openDatabase } from '../../../shared/engines/local/database.ts';
import { foldersOf, type LocalEngine, openLocalEngine } from '../../../shared/engines/local/engine.ts';
import { openingsOf } from '../../../shared/engines/local/folder-trust.ts';
import { hideFolder } from '../../../shared/engines/local/hide-folder.ts';
import { saveItemBytes } from '../../../shared/engines/local/items/item-store.ts';
import { createSkipLog, saveSkipsBeyond } from '../../../shared/engines/local/items/skip-log.ts';
import { makeFolder } from '../../../shared/engines/local/make-folder.ts';
import { ControlError } from '../../../shared/services/control/control.ts';
import { copyHosts } from '../../../shared/services/control/copy-hosts.ts';
import { named } from '../../../shared/services/control/earlier-crawls.ts';
import { checkKept, createFinder } from '../../../shared/services/control/find-crawl.ts';
import type { CopiedCrawl, CopyOptions, CopyProgress } from '../../copy-options.ts';
import { FolderNotEmpty } from '../../folder-not-empty.ts';
import type { StackConnection } from '../connect-stack.ts';
import { stackSkips } from '../stack-skips.ts';
import { downloadArchive } from './copy-archive.ts';
import { pullState } from './copy-state.ts';

const LOOK_MS = 5000;
/** A crawl that does not run is quiet a minute later; beside busy crawls it takes 20 minutes to be sure. */
const MAX_WAIT_MS = 45 * 60_000;

/**
 * The crawl is in the folder when this resolves; until then its parts are in `FOLDER.pull`, from where a repeated call
 * continues. Throws `ControlError`, also for a crawl that runs, `CrawlExists` and `FolderNotEmpty`.
 */
export async function pullCrawl(
  connection: StackConnection,
  crawl: CrawlId,
  folder: string,
  { onProgress = () => {} }: CopyOptions = {},
): Promise<CopiedCrawl> {
  checkFolder(folder);
  const { registry } = connection.copies.engine;
  const before = await createFinder(registry).recordOf(crawl);
  checkKept(crawl, before);
  checkStands(crawl, before);
  if (before.status !== 'finished') await untilQuiet(connection, crawl, onProgress);
  const copied = await new Pull(
    connection,
    { crawl, record: before, folder: `${resolve(folder)}.pull` },
    onProgress,
  ).run();
  const after = await registry.load(crawl);
  if (after?.status !== before.status)
    throw new ControlError(
      'conflict',
      `The crawl ${quoted(crawl)} was changed while it was copied: try again`,
      'crawl',
    );
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(`${resolve(folder)}.pull`, folder);
  return copied;
}

function checkFolder(folder: string): void {
  if (holdsCrawl(foldersOf(folder).database)) throw new CrawlExists(folder);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new FolderNotEmpty(folder);
}

function checkStands(crawl: CrawlId, { status }: CrawlRecord): void {
  if (status !== 'running') return;
  throw new ControlError(
    'conflict',
    `The crawl ${quoted(crawl)} is running: pause it first, so that the copy is of one moment`,
    'crawl',
  );
}

/** Links on their way come to their hosts before the copy is made, as nobody can read the queues. */
async function untilQuiet(
  { copies, clock }: StackConnection,
  crawl: CrawlId,
  onProgress: (progress: CopyProgress) => void,
): Promise<void> {
  const begun = clock.now();
  while (!(await copies.engine.registry.isQuiet(crawl))) {
    const done = clock.now() - begun;
    if (done > MAX_WAIT_MS)
      throw new ControlError(
        'conflict',
        `Something of the crawl ${quoted(crawl)} has been on its way in the stack for ${MAX_WAIT_MS / 60_000} minutes: look at the alarms of the stack, and try again`,
        'crawl',
      );
    onProgress({ step: 'wait', done });
    await clock.sleep(LOOK_MS);
  }
}

interface PulledCrawl {
  readonly crawl: CrawlId;
  readonly record: CrawlRecord;
  /** Where it is put together. */
  readonly folder: string;
}

/** The parts of the crawl that the folder does not have. */
const lackOf = ({ dedupeFrom = [] }: CrawlRecord): string[] =>
  dedupeFrom.length === 0
    ? []
    : [
        `the payloads that its archive refers to, which are in the stack, in the archives of ${named(dedupeFrom)}: keep those`,
      ];

class Pull {
  readonly #connection: StackConnection;
  readonly #pulled: PulledCrawl;
  readonly #onProgress: (progress: CopyProgress) => void;

  constructor(
    connection: StackConnection,
    pulled: PulledCrawl,
    onProgress: (progress: CopyProgress) => void,
  ) {
    this.#connection = connection;
    this.#pulled = pulled;
    this.#onProgress = onProgress;
  }

  async run(): Promise<CopiedCrawl> {
    const { crawl, record, folder } = this.#pulled;
    const paths = foldersOf(folder);
    // State of an earlier attempt may be older than what the stack has now. Its WARC files never change.
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(paths.database + suffix, { force: true });
    for (const path of [paths.ledgers, paths.items]) rmSync(path, { recursive: true, force: true });
    makeFolder(folder);
    for (const path of [paths.archive, paths.indexes]) mkdirSync(path, { recursive: true });
    const joined = await downloadArchive(this.#connection.archiveOf(crawl), paths, (done, all) =>
      this.#onProgress({ step: 'archive', done, all }),
    );
    const config = parseConfig(record.config);
    const software = `Strand/${version}`;
    const engine = await openLocalEngine(folder, { crawl, config, software, warcPrefix: 'strand' });
    let hosts: number;
    try {
      hosts = await this.#state(engine, joined);
    } finally {
      await engine.close();
    }
    const items = await this.#items();
    await pullState(this.#connection.copies.engine.state, crawl, paths.state);
    hideFolder(folder, record.config);
    const warcFiles = readdirSync(paths.archive).length;
    const opens = openingsOf({ crawl, config: record.config });
    return { crawl, hosts, warcFiles, items, lacks: lackOf(record), ...(opens.length > 0 && { opens }) };
  }

  /** Returns the number of heads. */
  async #state(engine: LocalEngine, joined: JoinedFiles): Promise<number> {
    const { crawl, record } = this.#pulled;
    const { ledgers, registry } = this.#connection.copies.engine;
    const { activeMs, hosts: all } = await registry.totals(crawl);
    const { status, why: _, begunBy: __, dedupeFrom: ___, ...kept } = record;
    if (record.sites) await engine.registry.storeSites(crawl, await registry.readSites(crawl, record.sites));
    await engine.registry.create(crawl, { ...kept, status: 'paused' });
    engine.registry.addActiveMs(crawl, activeMs);
    await engine.registry.setStatus(crawl, status, reasonIn(record));
    saveJoinedFiles(engine.database, joined);
    await this.#skips(engine);
    return copyHosts({ ledgers, crawl }, { ledgers: engine.ledgers, crawl }, (done) =>
      this.#onProgress({ step: 'hosts', done, all }),
    );
  }

  async #skips({ database }: LocalEngine): Promise<void> {
    const { crawl } = this.#pulled;
    const log = createSkipLog(database);
    let [done, beyond] = [0, 0];
    const stored = this.#connection.copies.bucketOf(crawl);
    for await (const skip of stackSkips(stored, (links) => (beyond += links))) {
      log.note(crawl, skip);
      if (++done % 10_000 === 0) this.#onProgress({ step: 'skips', done });
    }
    log.flush();
    saveSkipsBeyond(database, crawl, beyond);
  }

  async #items(): Promise<number> {
    const { crawl, folder } = this.#pulled;
    const { items, database: path } = foldersOf(folder);
    let count = 0;
    const values = stackItems(this.#connection.copies.bucketOf(crawl));
    const onProgress = this.#onProgress;
    async function* lines() {
      for await (const item of values) {
        yield `${JSON.stringify(item)}\n`;
        if (++count % 10_000 === 0) onProgress({ step: 'items', done: count });
      }
    }
    await pipeline(Readable.from(lines()), createWriteStream(items, { flush: true }));
    if (count === 0) rmSync(items);
    else {
      const database = openDatabase(path, 'join');
      try {
        saveItemBytes(database, items);
      } finally {
        database.close();
      }
    }
    return count;
  }
}
