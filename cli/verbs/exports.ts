import { commandAt } from '../command-at.ts';
import { crawlOf, wrongWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'exports CRAWL [ID]',
  more: 'Those of export --in-cloud, and where their files are.',
  examples: ['--stack Strand exports news', '--stack Strand exports news cdxj-20260131120000-1a2b'],
  options: [JSON_OPTION],
  read(given) {
    const [crawl, id, ...others] = given.words;
    if (crawl === undefined || id === '' || others.length > 0) throw wrongWords(given, 'CRAWL [ID]');
    return { crawl: crawlOf(given, crawl), id };
  },
  async run({ crawl, id }, place) {
    const { control } = place.stack!;
    const { cloudExportsText, printCloudExport } = await import('../cloud-exports.ts');
    if (id !== undefined) return printCloudExport(await control.exportOf(crawl, id), place);
    const exports = await control.exports(crawl);
    const begin = `${commandAt(place.addressOf(crawl), 'export')} --in-cloud`;
    return place.print({ exports }, cloudExportsText(exports, begin));
  },
});
