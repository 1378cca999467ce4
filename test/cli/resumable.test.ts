/** Which settings may change when a crawl is continued: one list for both places, the library and the command line. */
import { expect, test } from 'vitest';
import { readResumeOptions } from '../../api/local/read-options.ts';
import type { OptionSpec } from '../../cli/option-spec.ts';
import { type CrawlOptions, crawlConfigSchema } from '../../shared/core/crawl/config.ts';
import { resumableKeys } from '../../shared/core/crawl/settings/settings.ts';
import { checkLimits } from '../../shared/services/control/resume-limits.ts';
import { optionsOf } from './commands.ts';

const SETTINGS = Object.keys(crawlConfigSchema().shape);

/** A value of another type than any setting has: the setting or its value is refused. */
const given = (key: string): CrawlOptions => ({ [key]: { no: 'value' } });

function refusal(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(SETTINGS)('%s may change on one machine if the list says so', (key) => {
  const isRefused = /takes no/.test(refusal(() => readResumeOptions('folder', given(key))));
  expect(isRefused).toBe(!resumableKeys('machine').some((resumable) => resumable === key));
});

test.each(SETTINGS)('%s may change on a stack if the list says so', (key) => {
  const isRefused = /^Expected one of .* to resume with/.test(refusal(() => checkLimits(given(key))));
  expect(isRefused).toBe(!resumableKeys('stack').some((resumable) => resumable === key));
});

test.each([
  ['here', 'machine'],
  ['stack', 'stack'],
] as const)('the options of `resume` (%s) are those settings', (location, place) => {
  const isThere = ({ only }: OptionSpec) => only === undefined || only === location;
  const options = optionsOf('resume')
    .filter(isThere)
    .flatMap(({ key }) => key ?? []);
  // Files or keys; the library takes objects.
  const apart = ['identity', 'cookies'];
  const settings = resumableKeys(place).filter((key) => !apart.includes(key));
  expect([...new Set(options)].filter((key) => !apart.includes(key)).sort()).toEqual([...settings].sort());
});
