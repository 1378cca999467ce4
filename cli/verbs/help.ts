import { exitCodes } from '../exit-codes.ts';
import { isSet } from '../given.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'help [VERB] [--all]',
  examples: ['help crawl'],
  options: [],
  read: (given) => ({ topic: given.words[0], ...(isSet(given, 'all') && { all: true }) }),
  async run({ topic, all }, place, table) {
    const { helpText } = await import('../help.ts');
    place.out.write(await helpText(table, topic, { all, columns: process.stdout.columns }));
    return exitCodes.finished;
  },
});
