import { readWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'pull CRAWL DIR',
  more: 'A crawl that does not run. There it can be continued.',
  examples: ['--stack Strand pull news crawls/news'],
  options: [JSON_OPTION],
  read(given) {
    const [crawl, dir] = readWords(given, 'CRAWL', 'DIR');
    return { crawl: crawl!, dir: dir! };
  },
  async run({ crawl, dir }, place) {
    const { copyProgress, pulledText } = await import('../copy-text.ts');
    const copied = await place.stack!.pull(crawl, dir, { onProgress: copyProgress(place) });
    return place.print(copied, pulledText(copied, dir, place.stack!.stack));
  },
});
