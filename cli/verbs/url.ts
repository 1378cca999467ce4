import { canonicalPage } from '../../shared/core/url/hash-route.ts';
import { exitCodes } from '../exit-codes.ts';
import { urlText } from '../export-rows.ts';
import { readWords } from '../given.ts';
import { JSON_OPTION } from '../option-spec.ts';
import { seedUrl } from '../seeds.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'url DIR URL [options]',
  examples: ['url crawls/example.org https://example.org/about', '--stack Strand url news example.org'],
  options: [JSON_OPTION],
  read(given) {
    const [crawl, url] = readWords(given, 'CRAWL', 'URL');
    // Without a scheme: as a seed, and failing that by http.
    const byHttp = /^[a-z][a-z\d+.-]*:\/\//i.test(url!)
      ? undefined
      : seedUrl(`http://${url!.replace(/^\/\//, '')}`);
    return { crawl: crawl!, url: seedUrl(url!), byHttp };
  },
  async run({ crawl, url, byHttp }, place) {
    const asked = await place.ask(crawl);
    const detail = (await asked.url(url)) ?? (byHttp && (await asked.url(byHttp)));
    if (detail) return place.print(detail, urlText(detail, place.addressOf(crawl)));
    place.err.write(`strand: the crawl in ${crawl} does not know ${canonicalPage(url) ?? url}\n`);
    return exitCodes.usage;
  },
});
