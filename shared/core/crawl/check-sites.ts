/** Checks a list of sites as it was given. */
import { z } from 'zod';
import { lazy } from '../base/lazy.ts';
import { describeIssues } from '../text/describe-issues.ts';
import { quoted } from '../text/printable.ts';
import { parseSeed } from '../url/parse-seed.ts';
import { isRecrawling, unitAt } from './config.ts';
import type { CrawlConfig } from './crawl-options.ts';
import { InvalidConfig } from './invalid-config.ts';
import { optionalShape } from './settings/kinds.ts';
import { SITE_SETTINGS } from './settings/override-settings.ts';
import { RECRAWL_SETTINGS } from './settings/recrawl-settings.ts';
import { canonicalSite, MAX_SITES, type Site, siteHost } from './sites.ts';

const { recrawlEveryMs, recrawlSchedule, recrawlTimeZone } = RECRAWL_SETTINGS;
const SITE_OPTIONS = { ...SITE_SETTINGS, recrawlEveryMs, recrawlSchedule, recrawlTimeZone };

export const siteSchema = lazy(() =>
  z.strictObject({
    ...optionalShape(SITE_OPTIONS),
    url: z.string().max(2083).describe('Its seed. The site is the host of this URL'),
    group: z
      .string()
      .regex(/^[\w.-]{1,64}$/, 'up to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`')
      .optional()
      .describe('A name by which sites are listed and exported together'),
  }),
);

export const SITE_KEYS: readonly string[] = [...Object.keys(SITE_OPTIONS), 'url', 'group'];

/** Further faults whose places are named. */
const MAX_NAMED = 10;
/** The longest JSON of a list, in characters. */
const MAX_CHARS = 8_000_000;

/**
 * Returns the sites with their canonical URLs. `nameAt` names the position of a site, such as `line 7`. Throws
 * InvalidConfig that names the first faulty position with the reason, and the positions of others.
 */
export function checkSites(
  given: readonly unknown[],
  nameAt: (index: number) => string,
  config: Pick<CrawlConfig, 'recrawl' | 'recrawlEveryMs' | 'recrawlSchedule'>,
): Site[] {
  if (given.length === 0) throw new InvalidConfig('Expected at least one site, got none');
  if (given.length > MAX_SITES)
    throw new InvalidConfig(
      `Expected at most ${MAX_SITES} sites in a crawl, got ${given.length}: begin several crawls`,
    );
  const first = new Map<string, number>();
  const faults: [index: number, fault: string][] = [];
  const sites: Site[] = [];
  for (const [index, one] of given.entries()) {
    const read = readSite(one, isRecrawling(config));
    const name = typeof read === 'string' ? undefined : siteHost(read).replace(/^www\./, '');
    const earlier = name === undefined ? undefined : first.get(name);
    if (typeof read === 'string') faults.push([index, read]);
    else if (earlier !== undefined)
      faults.push([index, `${siteHost(read)} is the site of ${nameAt(earlier)}`]);
    else {
      first.set(name as string, index);
      sites.push(read);
    }
  }
  const [fault, ...others] = faults;
  if (fault) {
    const named = others.slice(0, MAX_NAMED).map(([index]) => nameAt(index));
    const more = others.length > named.length ? [`${others.length - named.length} more`] : [];
    const rest = others.length > 0 ? `. At fault too: ${[...named, ...more].join(', ')}` : '';
    throw new InvalidConfig(`${nameAt(fault[0])}: ${fault[1]}${rest}`);
  }
  if (JSON.stringify(sites).length > MAX_CHARS)
    throw new InvalidConfig(`The sites and their settings take more than ${MAX_CHARS / 1e6} MB as JSON`);
  return sites;
}

/** Returns the site, or its fault. */
function readSite(one: unknown, mayRecrawl: boolean): Site | string {
  const parsed = siteSchema().safeParse(one);
  if (!parsed.success) {
    const [issue] = describeIssues(parsed.error, one, {
      name: ([key, ...rest]) => (key === undefined ? 'a site' : [key, ...rest].join('.')),
      object: () => ({ name: 'a site', keys: SITE_KEYS }),
      unit: unitAt,
    });
    const message = issue?.message ?? 'it is not a site';
    const isStrange = message.startsWith('Unknown key') && !message.includes(';');
    return isStrange ? `${message}; there are ${SITE_KEYS.join(', ')}` : message;
  }
  const { url, ...settings } = parsed.data;
  const seed = parseSeed(url);
  const canonical = seed && canonicalSite(seed);
  if (canonical === undefined) return `Expected an http or https URL, got ${quoted(url)}`;
  const hasOwnTimes = settings.recrawlEveryMs ?? settings.recrawlSchedule;
  if (hasOwnTimes !== undefined && !mayRecrawl)
    return 'a site has times of its own only in a crawl that recrawls: give --every, --schedule or --recrawl for all';
  return { url: canonical, ...settings } as Site;
}
