/** `strand add DIR SEED...`: more seeds for a crawl on this machine, while it runs or after. */
import { type AddedSeeds, ControlError } from '../../shared/control/control.ts';
import { checkRules } from '../../shared/control/find-crawl.ts';
import { seedsError, sortSeeds } from '../../shared/control/sort-seeds.ts';
import { wideningSeeds } from '../../shared/control/widening-seeds.ts';
import { systemClock } from '../../shared/engines/local/clock.ts';
import { openDatabase } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/engine.ts';
import { createLinkExchange } from '../../shared/engines/local/link-exchange.ts';
import { isFolderInUse } from '../../shared/engines/local/lock.ts';
import { createRegistry } from '../../shared/engines/local/registry.ts';
import { sendSeeds } from '../../shared/engines/local/send-seeds.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { LocalCommandOf } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandAt } from '../place.ts';
import { checkContact } from '../seeds.ts';
import { addedText } from '../stack-text.ts';
import { UsageError } from '../usage-error.ts';
import { openCrawl } from './open-crawl.ts';
import { readSeeds } from './read-seeds.ts';

/** Why a crawl that was finished is it no more; told while nobody has resumed it. */
const SEEDS_ADDED = 'seeds were added';
/** A worker knows its crawl's scope as it was two seconds ago (`worker/crawls.ts`). */
const SCOPE_HEARD_MS = 2500;

export async function add(command: LocalCommandOf<'add'>): Promise<number> {
  const added = await addSeeds(command.dir, readSeeds(command), systemClock);
  const { limit, isRunning, ...answer } = added;
  const text = command.json
    ? JSON.stringify({ ...answer, isRunning })
    : `${addedText(answer)}\n${nextText(added, command.dir)}`;
  process.stdout.write(`${text}\n`);
  return exitCodes.finished;
}

function nextText({ isRunning, limit }: LocallyAdded, dir: string): string {
  if (isRunning) return 'The crawl takes them up within seconds';
  const higher = limit === undefined ? '' : ` a higher limit than ${limit}`;
  return `Go on with${higher}: ${commandAt({ dir }, 'resume')}`;
}

export interface LocallyAdded extends AddedSeeds {
  /** Whether a process crawls in the folder, which takes the seeds up; else they wait for `resume`. */
  readonly isRunning: boolean;
  /** The limit that the crawl has met, in words. */
  readonly limit?: string;
}

/**
 * Puts the seeds on their way, and widens the crawl's scope by them. Throws {@link UsageError} where none of them can be
 * a seed.
 */
export async function addSeeds(
  folder: string,
  seeds: readonly string[],
  clock: Pick<Clock, 'sleep'>,
): Promise<LocallyAdded> {
  const { reader, crawl, record } = await openCrawl(folder);
  reader.close();
  const config = parseCrawlConfig(record.config);
  const { accepted, refused } = refusedInWords(() => {
    checkRules(
      crawl,
      record,
      `go on under these first, by ${commandAt({ dir: folder }, 'resume')} --new-url-rules`,
    );
    const sorted = sortSeeds(seeds, config);
    if (sorted.accepted.length === 0) throw seedsError(sorted.refused);
    return sorted;
  });
  checkContact(accepted, config);
  const database = openDatabase(foldersOf(folder).database, 'write');
  try {
    const registry = createRegistry(database, () => true);
    const exchange = createLinkExchange(database);
    // In this order, so that a crash loses nothing that was promised: the scope, the status, the seeds.
    const widening = wideningSeeds(config, record.scopeSeeds, accepted);
    if (widening.length > 0) {
      await registry.addScopeSeeds(crawl, widening);
      // Links of a seed that is fetched before the worker has heard would be lost as outside of the scope.
      if (isFolderInUse(folder)) await clock.sleep(SCOPE_HEARD_MS);
    }
    await registry.setStatus(crawl, 'running', SEEDS_ADDED, { from: ['finished'] });
    await sendSeeds(exchange, crawl, accepted, []);
    const left = refused.map(({ url, reason }) => ({ url, reason }));
    const limit = record.status === 'limited' ? record.reason : undefined;
    return { crawl, added: accepted.length, refused: left, isRunning: isFolderInUse(folder), limit };
  } finally {
    database.close();
  }
}

/** What a stack's operator is told, too. */
function refusedInWords<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
