import { isSet, readCrawlName, readWords, textOf } from '../given.ts';
import { JSON_OPTION, TRUST_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'push DIR [options]',
  more: 'There it can be continued.',
  examples: ['--stack Strand push crawls/example.org', '--stack Strand push crawls/example.org --name news'],
  options: [
    TRUST_OPTION,
    JSON_OPTION,
    {
      name: 'name',
      argument: 'CRAWL',
      type: 'text',
      group: 'Stack',
      help: 'name of the crawl on the stack; by default the name that it has',
    },
  ],
  read(given) {
    const name = textOf(given, 'name');
    return {
      trustSettings: isSet(given, 'trust-settings'),
      dir: readWords(given, 'DIR')[0]!,
      ...(name !== undefined && { name: readCrawlName(name) }),
    };
  },
  async run({ dir, name, trustSettings }, place) {
    const { copyProgress, pushedText } = await import('../copy-text.ts');
    const copied = await place.stack!.push(dir, {
      onProgress: copyProgress(place),
      trustSettings,
      ...(name !== undefined && { crawl: name }),
    });
    return place.print(copied, pushedText(copied, dir, place.stack!));
  },
});
