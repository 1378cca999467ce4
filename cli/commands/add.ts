/** `strand add DIR SEED...`: more seeds for a crawl on this machine, while it runs or after. */
import { addSeeds as addToFolder } from '../../api/local/add-seeds.ts';
import type { LocallyAdded } from '../../api/stored-crawl.ts';
import { NoContact } from '../../shared/core/crawl/crawl-errors.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import { ControlError } from '../../shared/services/control/control.ts';
import type { LocalCommandOf } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandAt } from '../place.ts';
import { contactText } from '../seeds.ts';
import { addedText } from '../stack-text.ts';
import { UsageError } from '../usage-error.ts';
import { readSeeds } from './read-seeds.ts';

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
  return `Continue with${higher}: ${commandAt({ dir }, 'resume')}`;
}

/** Throws {@link UsageError}, in the command line's words, where none of the seeds can be one. */
export async function addSeeds(
  folder: string,
  seeds: readonly string[],
  clock: Pick<Clock, 'sleep'>,
): Promise<LocallyAdded> {
  const advice = `continue under these first, by ${commandAt({ dir: folder }, 'resume')} --new-url-rules`;
  try {
    return await addToFolder(folder, seeds, clock, advice);
  } catch (error) {
    if (error instanceof NoContact) throw new UsageError(contactText(error), { cause: error });
    if (!(error instanceof ControlError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
