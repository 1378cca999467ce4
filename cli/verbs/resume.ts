import { printable } from '../../shared/core/text/printable.ts';
import type { ResumeAsked } from '../crawl/run-crawl.ts';
import {
  BROWSER_OPTIONS,
  CACHE_OPTION,
  MADE_OPTIONS,
  NO_CACHE_OPTION,
  ONCE_OPTION,
  runSettingsOf,
  SHOW_OPTIONS,
  SITES_OPTION,
  WATCH_OPTION,
} from '../crawl/run-options.ts';
import { configOf, isSet, readCrawl, textOf } from '../given.ts';
import { CONFIG_OPTION, here, TRUST_OPTION, WORKERS_OPTION } from '../option-spec.ts';
import { resumeOptions } from '../options.ts';
import type { Place } from '../place.ts';
import { UsageError } from '../usage-error.ts';
import { verb } from '../verb.ts';

interface StackAsked
  extends Pick<ResumeAsked, 'crawl' | 'sitesFile' | 'cookiesFile' | 'limits' | 'newUrlRules'> {
  readonly watch: boolean;
}

export const command = verb({
  usage: 'resume DIR [options]',
  more: 'With higher limits if you give them.',
  examples: [
    'resume crawls/example.org',
    'resume crawls/example.org --max-pages 5000',
    '--stack Strand resume news --max-cost 20',
  ],
  options: [
    ...MADE_OPTIONS,
    SITES_OPTION,
    ...here([CONFIG_OPTION], 'a stack uses the project file that was deployed with it'),
    WORKERS_OPTION,
    ...BROWSER_OPTIONS,
    ONCE_OPTION,
    ...here([TRUST_OPTION]),
    {
      name: 'new-url-rules',
      type: 'flag',
      group: 'Crawl',
      help: 'continue although the crawl began with other rules for canonical URLs: some pages may be fetched again',
    },
    ...resumeOptions().filter(({ name }) => name !== 'cookies'),
    {
      name: 'cookies',
      argument: 'FILE',
      type: 'text',
      group: 'Identity',
      help: "send the cookies of this file (Netscape's format), those for hosts that refuse the crawler",
    },
    CACHE_OPTION,
    NO_CACHE_OPTION,
    ...SHOW_OPTIONS,
    WATCH_OPTION,
  ],
  read(given): ResumeAsked | StackAsked {
    const crawl = readCrawl(given);
    const [cache, isWithout] = [textOf(given, 'cache'), isSet(given, 'no-cache')];
    if (cache !== undefined && isWithout) throw new UsageError('Expected --cache or --no-cache, got both');
    const identity = textOf(given, 'identity');
    const shared = {
      crawl,
      cookiesFile: textOf(given, 'cookies'),
      sitesFile: textOf(given, 'sites'),
      limits: { ...configOf(given), ...(identity !== undefined && { identity: { key: identity } }) },
      newUrlRules: isSet(given, 'new-url-rules'),
    };
    if (given.isOnStack) return { ...shared, watch: isSet(given, 'watch') };
    return {
      ...shared,
      trustSettings: isSet(given, 'trust-settings'),
      cache: isWithout ? false : cache,
      ...runSettingsOf(given),
    };
  },
  async run(given, place) {
    const asked = given.cookiesFile === undefined ? given : await withCookies(given, place);
    if ('watch' in asked) return resumeOnStack(asked, place, place.stack!);
    const { resumeCrawl } = await import('../crawl/run-crawl.ts');
    return resumeCrawl(asked);
  },
});

async function withCookies<Asked extends ResumeAsked | StackAsked>(
  asked: Asked,
  place: Place,
): Promise<Asked> {
  const { resumeCookies } = await import('../crawl/resume-cookies.ts');
  return { ...asked, limits: { ...asked.limits, ...(await resumeCookies(asked, place)) } };
}

async function resumeOnStack(
  { crawl, sitesFile, limits, newUrlRules, watch }: StackAsked,
  place: Place,
  { control }: NonNullable<Place['stack']>,
): Promise<number> {
  const { parseCrawlConfig } = await import('../crawl-config.ts');
  const { readSites } = await import('../crawl/read-sites.ts');
  parseCrawlConfig(limits);
  const sites = readSites(sitesFile);
  if (sites) {
    const { siteChangesText } = await import('../../shared/core/crawl/sites.ts');
    place.err.write(`${printable(siteChangesText(await control.setSites(crawl, sites)))}\n`);
  }
  const summary = await control.resume(crawl, limits, { newUrlRules });
  if (!watch) return place.printSummary(summary);
  const { watchInPlace } = await import('../crawl/watch-crawl.ts');
  return watchInPlace(crawl, place);
}
