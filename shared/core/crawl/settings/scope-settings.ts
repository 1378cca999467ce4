/** Which URLs belong to a crawl. */
import { z } from 'zod';
import { amount, choice, count, domainName, flag, other, settingsOf, shapeOf } from './kinds.ts';
import type { ConfigOf, OptionsOf } from './setting.ts';

const setting = settingsOf('Scope');

const patterns = other(() => z.array(z.string()), 'patterns', 'REGEX');

/** The rules that make two spellings one URL though no standard says so (`url/url-rules.ts`). */
export const URL_RULES = {
  // No page depends on them.
  trackingParameters: setting(flag, {
    doc: 'Drop parameters that only say where a visitor came from, such as `utm_source` and `gclid`',
    default: true,
  }),
  sessionParameters: setting(flag, {
    doc: 'Drop session ids, such as `;jsessionid=` and `PHPSESSID`',
    more: 'With them, each visit would find every page under new URLs.',
    default: true,
  }),
  sortQuery: setting(flag, {
    doc: "Sort the query's parameters",
    more: 'Some sites answer by their order.',
    default: false,
  }),
  indexPages: setting(flag, {
    doc: 'Treat `/a/index.html` as `/a/`',
    more: 'Servers need not answer both alike.',
    default: false,
  }),
};

/** Rules that treat two spellings of a URL as one, beyond the standards. */
export interface UrlRuleOptions extends OptionsOf<typeof URL_RULES> {}

export interface UrlRules extends ConfigOf<typeof URL_RULES> {}

const rules = (): z.ZodType<UrlRules, UrlRuleOptions> => z.strictObject(shapeOf(URL_RULES));

export const SCOPE_SETTINGS = {
  scope: setting(choice('page', 'prefix', 'host', 'domain', 'any'), {
    doc: "Which links belong to the crawl: none, below a seed's folder, the same host, the same registrable domain, any",
    option: 'scope',
    default: 'host',
  }),
  include: setting(patterns, {
    doc: 'Follow only URLs that match; one match is enough; seeds are exempt',
    more: 'They are regular expressions on the canonical URL.',
    option: 'include',
    perHost: 'site',
    default: [],
  }),
  exclude: setting(patterns, {
    doc: 'Leave out URLs that match, seeds too',
    more: 'They are regular expressions on the canonical URL.',
    option: 'exclude',
    perHost: 'site',
    default: [],
  }),
  domains: setting(
    other(() => z.array(domainName())),
    {
      doc: 'Domains such as `example.org`: only hosts of these names and below them are requested, also for seeds, redirects and requisites',
      more: 'Empty: any domain.',
      stackMost: 100,
      default: [],
    },
  ),
  maxDepth: setting(count(), {
    doc: 'Hops from a seed; 0 means only the seeds',
    option: 'max-depth',
    perHost: 'site',
  }),
  // Internet Explorer's limit; Heritrix stops there, too. On a stack a URL must fit into a message with the page it was found on.
  maxUrlLength: setting(count(1), {
    doc: 'Leave out URLs with more characters',
    stackMost: 16_384,
    default: 2083,
  }),
  // Indexes of large documentations have tens of thousands on a page. Heritrix: 6,000.
  maxLinksPerPage: setting(count(1), {
    doc: 'Leave out the links of a page beyond this number',
    more: "They are counted. Whatever the number, a page's links have 32 million characters at most.",
    stackMost: 200_000,
    default: 100_000,
  }),
  ascendPaths: setting(flag, {
    doc: 'Also try the folders of each link: `/a/b/c` gives `/a/b/`, `/a/` and `/`',
    default: false,
  }),
  urlRules: setting(
    { values: rules, type: 'rules', argument: 'RULE,...|none', choices: Object.keys(URL_RULES) },
    {
      doc: 'The rules that make two spellings one URL',
      inHelp: `, exactly these: ${Object.keys(URL_RULES).join(', ')}`,
      page: 'local.md#url-rules',
      option: 'url-rules',
      default: {},
    },
  ),
  // RFC 9110 names no number; Fetch allows 20, Heritrix and curl -L 20 to 50.
  maxRedirects: setting(count(), { doc: 'Redirects in a row that are followed', default: 10 }),

  // Heritrix (TooManyPathSegmentsDecideRule): 20.
  maxPathDepth: setting(count(1), {
    doc: 'Leave out URLs with more path segments, as probable traps',
    stackMost: 1000,
    default: 20,
  }),
  // Heritrix (PathologicalPathDecideRule): 3.
  maxRepeatedSegments: setting(count(1), {
    doc: 'How often the same segments may follow each other in a path: `/a/b/a/b/` has 2',
    stackMost: 100,
    default: 3,
  }),
  maxQueryParameters: setting(count(1), {
    doc: 'Leave out URLs with more query parameters, as probable traps',
    default: 32,
  }),
  // Groups by template, by combinations of parameters, and by folders.
  trapAfterPages: setting(count(), {
    doc: 'After this many pages of a host, stop fetching groups of URLs that add nothing new; 0: never',
    page: 'local.md#traps',
    option: 'trap-after-pages',
    default: 100,
  }),
  trapMinNew: setting(amount(0, 1), {
    doc: "The share of a group's last pages that must bring a new text or link; below it, the group is closed",
    default: 0.05,
  }),
};
