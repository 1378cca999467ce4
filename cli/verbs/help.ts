import { exitCodes } from '../exit-codes.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'help [VERB] [--all]',
  examples: ['help crawl'],
  options: [],
  read: ({ words }): { topic: string | undefined; all?: boolean } => ({ topic: words[0] }),
  async run({ topic, all }, place, table) {
    const { helpText } = await import('../help.ts');
    place.out.write(await helpText(table, topic, { all, columns: process.stdout.columns }));
    return exitCodes.finished;
  },
});
