/** What the help says of each verb. */
import type { Verb } from './verbs.ts';

export interface VerbHelp {
  readonly usage: string;
  /** What follows `--stack NAME`, for a verb that has a meaning on one machine too. */
  readonly stackUsage?: string;
  readonly summary: string;
  readonly examples: readonly string[];
}

export const VERB_HELP: Readonly<Record<Verb, VerbHelp>> = {
  crawl: {
    usage: 'crawl SEED... [options]',
    stackUsage: 'crawl SEED... [options]',
    summary:
      'Crawl from the seeds (https where they name no scheme; http for localhost and addresses) into WARC files.',
    examples: [
      'crawl example.org --contact me@example.org --max-pages 100',
      'crawl --seeds seeds.txt --max-time 2h --contact me@example.org',
      'crawl http://localhost:8080/ --allow-private-addresses --delay 0',
      '--stack Strand crawl example.org --name news --max-cost 5',
    ],
  },
  resume: {
    usage: 'resume DIR [options]',
    stackUsage: 'resume CRAWL [options]',
    summary: 'Go on with a crawl that was interrupted or met a limit, perhaps with higher limits.',
    examples: [
      'resume crawls/example.org',
      'resume crawls/example.org --max-pages 5000',
      '--stack Strand resume news --max-cost 20',
    ],
  },
  status: {
    usage: 'status DIR [options]',
    stackUsage: 'status CRAWL [options]',
    summary: 'How far a crawl is: pages, URLs, hosts, errors.',
    examples: ['status crawls/example.org', 'status crawls/example.org --json', '--stack Strand status news'],
  },
  url: {
    usage: 'url DIR URL [options]',
    stackUsage: 'url CRAWL URL [options]',
    summary: 'What happened to a URL.',
    examples: ['url crawls/example.org https://example.org/about', '--stack Strand url news example.org'],
  },
  explain: {
    usage: 'explain [DIR] URL [options]',
    summary: 'What would happen to a URL and why, in a crawl or by the settings alone.',
    examples: [
      'explain crawls/example.org https://example.org/about',
      "explain 'https://example.org/a?utm_source=x' --exclude '[?]'",
    ],
  },
  report: {
    usage: 'report DIR [options]',
    summary: 'What a crawl found: hosts, status codes, types, sizes, times, failures.',
    examples: ['report crawls/example.org', 'report crawls/example.org --html report.html'],
  },
  warc: {
    usage: 'warc check FILE... | cat FILE OFFSET',
    summary: 'Check WARC files, or show the record that begins at an offset.',
    examples: ['warc check crawls/example.org/archive', 'warc cat a.warc.gz 0'],
  },
  export: {
    usage: 'export DIR --format FORMAT [options]',
    stackUsage: 'export CRAWL --format jsonl|csv',
    summary: 'Every known URL and what became of it; or the links left out, an index, a WACZ.',
    examples: [
      'export crawls/example.org --format csv > urls.csv',
      'export crawls/a --format csv --skipped --out left-out.csv',
      'export crawls/example.org --format wacz --out example.wacz',
    ],
  },
  add: {
    usage: 'add DIR SEED...',
    stackUsage: 'add CRAWL SEED...',
    summary: 'Give a crawl more seeds, while it runs or after; on a stack, one that had finished runs again.',
    examples: [
      'add crawls/example.org https://example.org/new',
      '--stack Strand add news example.com',
      '--stack Strand add news --seeds seeds.txt',
    ],
  },
  watch: {
    usage: 'watch CRAWL',
    summary: 'Show how far a crawl is until it ends, or Ctrl-C: pages, rate, hosts, cost.',
    examples: ['--stack Strand watch news'],
  },
  list: {
    usage: 'list',
    summary: 'The crawls of the stack.',
    examples: ['--stack Strand list'],
  },
  hosts: {
    usage: 'hosts CRAWL [HOST]',
    summary: 'The hosts of a crawl and their state, or all that is known of one.',
    examples: ['--stack Strand hosts news', '--stack Strand hosts news example.org'],
  },
  pause: {
    usage: 'pause CRAWL',
    summary: 'Begin no more requests within seconds; all that waits stays due until the crawl is resumed.',
    examples: ['--stack Strand pause news'],
  },
  stop: {
    usage: 'stop CRAWL',
    summary: 'End a crawl for good: as pause, but nothing of it is meant to go on. It can still be resumed.',
    examples: ['--stack Strand stop news'],
  },
  help: { usage: 'help [VERB]', summary: 'This page, or that of a command.', examples: ['help crawl'] },
};
