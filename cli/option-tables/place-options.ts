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
    help: 'folder that keeps the crawl: its state and its WARC files; by default a new one in crawls/',
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
    verbs: ['crawl', 'resume', 'explain'],
    stackVerbs: ['crawl'],
    reason:
      'what stands around fetches there was deployed with the stack, and its settings are for new crawls',
    group: 'Crawl',
    help: "the project's file; by default strand.config.ts in this folder, if it is there",
  },
  {
    name: 'workers',
    argument: 'N',
    type: 'count',
    range: [1, 64],
    preset: '1',
    verbs: BOTH,
    stackVerbs: [],
    reason: 'a stack has as many workers as its queues keep busy',
    group: 'Crawl',
    help: 'threads that crawl, each some of the hosts',
  },
  {
    name: 'new-url-rules',
    type: 'flag',
    verbs: ['resume'],
    stackVerbs: [],
    reason: 'a stack goes on only with crawls that know their URLs as it does',
    group: 'Crawl',
    help: 'go on though the crawl began under other rules for canonical URLs: some pages may be fetched again',
  },
];
