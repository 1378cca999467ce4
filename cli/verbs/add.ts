import type { LocallyAdded } from '../../api/stored-crawl.ts';
import type { Clock } from '../../shared/crawler/ports/clock.ts';
import { commandAt } from '../command-at.ts';
import { exitCodes } from '../exit-codes.ts';
import { crawlOf, readSeedWords, wrongWords } from '../given.ts';
import { JSON_OPTION, SEEDS_OPTION } from '../option-spec.ts';
import { addedText } from '../stack-text.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'add DIR SEED...',
  more: 'On a stack, a finished crawl runs again.',
  examples: [
    'add crawls/example.org https://example.org/new',
    '--stack Strand add news example.com',
    '--stack Strand add news --seeds seeds.txt',
  ],
  options: [SEEDS_OPTION, JSON_OPTION],
  read(given) {
    const [crawl, ...seeds] = given.words;
    if (!crawl) throw wrongWords(given, 'CRAWL', 'SEED...');
    const example = given.isOnStack ? '--stack NAME add CRAWL' : 'add DIR';
    return { crawl: crawlOf(given, crawl), ...readSeedWords(seeds, given, example) };
  },
  async run({ crawl, ...given }, place) {
    const { readSeeds } = await import('../crawl/read-seeds.ts');
    const seeds = readSeeds(given);
    if (place.stack) {
      const { addAllSeeds } = await import('../../api/stack/seed-batches.ts');
      const added = await addAllSeeds(place.stack.control, crawl, seeds);
      place.print(added, addedText(added));
      return added.added > 0 ? exitCodes.finished : exitCodes.usage;
    }
    const added = await addSeeds(crawl, seeds, place.clock);
    const { limit, isRunning, ...answer } = added;
    return place.print({ ...answer, isRunning }, `${addedText(answer)}\n${nextText(added, crawl)}`);
  },
});

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
  const { addSeeds: addToFolder } = await import('../../api/local/add-seeds.ts');
  const { NoContact } = await import('../../shared/core/crawl/crawl-errors.ts');
  const { contactText } = await import('../seeds.ts');
  const advice = `continue under these first, by ${commandAt({ dir: folder }, 'resume')} --new-url-rules`;
  try {
    return await addToFolder(folder, seeds, clock, advice);
  } catch (error) {
    if (error instanceof NoContact) throw new UsageError(contactText(error), { cause: error });
    if ((error as Error).name !== 'ControlError') throw error;
    throw new UsageError((error as Error).message, { cause: error });
  }
}
