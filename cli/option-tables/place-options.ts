import { BOTH, type OptionSpec } from '../option-spec.ts';

/** Where a crawl is kept, what it begins with, and how it runs. */
export const PLACE_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'out',
    argument: 'DIR',
    type: 'text',
    stackVerbs: [],
    reason: 'a stack keeps its crawls in its own tables and bucket',
    group: 'Crawl',
    help: 'folder of the crawl, for its state and WARC files; by default a new one in crawls/',
  },
  {
    name: 'seeds',
    argument: 'FILE|-',
    type: 'text',
    verbs: ['crawl', 'add'],
    group: 'Crawl',
    help: 'more seeds, one URL a line (# begins a comment); - reads standard input',
  },
  {
    name: 'config',
    argument: 'FILE',
    type: 'text',
    verbs: ['crawl', 'resume', 'explain', 'read', 'process'],
    stackVerbs: ['crawl'],
    reason: 'a stack uses the project file that was deployed with it',
    group: 'Crawl',
    help: 'project file; by default strand.config.ts in this folder, if it exists',
  },
  {
    name: 'workers',
    argument: 'N',
    type: 'count',
    range: [1, 64],
    preset: '1',
    verbs: [...BOTH, 'process'],
    stackVerbs: [],
    reason: 'a stack starts workers by itself',
    group: 'Crawl',
    help: 'number of threads; each works on some of the hosts or pages',
  },
  {
    name: 'new-url-rules',
    type: 'flag',
    verbs: ['resume'],
    stackVerbs: [],
    reason: 'a stack continues only crawls with its own version of the rules for canonical URLs',
    group: 'Crawl',
    help: 'continue although the crawl began with other rules for canonical URLs: some pages may be fetched again',
  },
];
