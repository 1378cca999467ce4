import { completionScript, SHELLS } from '../completion.ts';
import { exitCodes } from '../exit-codes.ts';
import { wrongWords } from '../given.ts';
import { allOptionsOf, verb } from '../verb.ts';

export const command = verb({
  usage: 'completion bash|zsh|fish',
  more: 'And their options.',
  examples: ['completion bash'],
  options: [],
  read(given) {
    const [word, ...others] = given.words;
    const shell = SHELLS.find((known) => known === word);
    if (shell === undefined || others.length > 0) throw wrongWords(given, SHELLS.join('|'));
    return { shell };
  },
  async run({ shell }, place, table) {
    const verbs = Object.entries(table).map(async ([name, entry]) => {
      return { name, summary: entry.summary, options: allOptionsOf(entry, await entry.load()) };
    });
    place.out.write(completionScript(shell, await Promise.all(verbs)));
    return exitCodes.finished;
  },
});
