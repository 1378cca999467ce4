import { exitCodes } from '../exit-codes.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'help [VERB]',
  examples: ['help crawl'],
  options: [],
  read: ({ words }) => ({ topic: words[0] }),
  async run({ topic }, place, table) {
    const { helpText } = await import('../help.ts');
    place.out.write(await helpText(table, topic, process.stdout.columns));
    return exitCodes.finished;
  },
});
