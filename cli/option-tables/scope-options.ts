import { crawlConfigSchema, SCOPES } from '../../shared/core/crawl/config.ts';
import type { SettingOption } from './setting-option.ts';

/** The keys of `urlRules`. */
const URL_RULES = Object.keys(crawlConfigSchema.shape.urlRules.unwrap().shape);

/** Which URLs belong to a crawl. */
export const SCOPE_OPTIONS: readonly SettingOption[] = [
  {
    name: 'scope',
    argument: SCOPES.join('|'),
    type: 'choice',
    choices: SCOPES,
    key: 'scope',
    group: 'Scope',
    help: "which links belong to the crawl: none, below a seed's folder, the same host, the same registrable domain, any",
  },
  {
    name: 'include',
    argument: 'REGEX',
    type: 'patterns',
    key: 'include',
    group: 'Scope',
    help: 'follow only URLs that match; repeatable, one match is enough; seeds are exempt',
  },
  {
    name: 'exclude',
    argument: 'REGEX',
    type: 'patterns',
    key: 'exclude',
    group: 'Scope',
    help: 'leave out URLs that match, seeds too; repeatable',
  },
  {
    name: 'max-depth',
    argument: 'N',
    type: 'count',
    key: 'maxDepth',
    group: 'Scope',
    help: 'hops from a seed; 0 means only the seeds',
  },
  {
    name: 'max-path-depth',
    argument: 'N',
    type: 'count',
    key: 'maxPathDepth',
    group: 'Scope',
    help: 'leave out URLs with more path segments, as probable traps',
  },
  {
    name: 'max-links-per-page',
    argument: 'N',
    type: 'count',
    key: 'maxLinksPerPage',
    group: 'Scope',
    help: 'leave out the links of a page beyond this number',
  },
  {
    name: 'trap-after-pages',
    argument: 'N',
    type: 'count',
    key: 'trapAfterPages',
    group: 'Scope',
    help: 'after N pages of a host, stop fetching groups of URLs that add nothing new; 0: never',
  },
  {
    name: 'url-rules',
    argument: 'RULE,...|none',
    type: 'rules',
    choices: URL_RULES,
    key: 'urlRules',
    group: 'Scope',
    help: `the rules that make two spellings one URL, exactly these: ${URL_RULES.join(', ')}`,
  },
  {
    name: 'ascend-paths',
    type: 'flag',
    isNegatable: true,
    key: 'ascendPaths',
    group: 'Scope',
    help: 'also try the folders of each link: /a/b/c gives /a/b/, /a/ and /',
  },
];
