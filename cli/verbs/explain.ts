import type { CrawlOptions } from '../../shared/core/crawl/config.ts';
import { configOf, readWords, refuseSettings, textOf } from '../given.ts';
import { CONFIG_OPTION, here, JSON_OPTION } from '../option-spec.ts';
import { explainOptions } from '../options.ts';
import { seedUrl } from '../seeds.ts';
import { verb } from '../verb.ts';

export const command = verb({
  usage: 'explain [DIR] URL [options]',
  stackUsage: 'explain CRAWL URL [options]',
  more: 'In a crawl, or by the settings alone.',
  examples: [
    'explain crawls/example.org https://example.org/about',
    "explain 'https://example.org/a?utm_source=x' --exclude '[?]'",
  ],
  options: [
    ...here([CONFIG_OPTION], 'a stack uses the project file that was deployed with it'),
    ...explainOptions(),
    JSON_OPTION,
  ],
  read(given) {
    if (given.words.length === 1 && !given.isOnStack) {
      const [url] = readWords(given, 'URL');
      return { config: textOf(given, 'config'), options: configOf(given), url: seedUrl(url!) };
    }
    const [crawl, url] = readWords(given, given.isOnStack ? 'CRAWL' : '[DIR]', 'URL');
    if (!given.isOnStack) refuseSettings(given, crawl!, ['json']);
    return { crawl: crawl!, options: {}, url: seedUrl(url!) };
  },
  async run({ crawl, config, options, url }, place) {
    const { explanationText } = await import('../explain-text.ts');
    const explained =
      crawl === undefined
        ? await explainWithoutCrawl(config, options, url)
        : await (await place.open(crawl)).explain(url);
    return place.print(explained, explanationText(explained));
  },
});

async function explainWithoutCrawl(file: string | undefined, options: CrawlOptions, url: string) {
  const { readProject } = await import('../../shared/services/project/project-file.ts');
  const { explainUrl } = await import('../../shared/services/report/explain.ts');
  const { parseCrawlConfig } = await import('../crawl-config.ts');
  const project = await readProject(file);
  return explainUrl({ url, config: parseCrawlConfig({ ...project.crawl, ...options }), now: Date.now() });
}
