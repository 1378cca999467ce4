/** The help texts of each verb. */
import type { Verb } from './verbs.ts';

export interface VerbHelp {
  readonly usage: string;
  /** The arguments after `--stack NAME`, for a verb that has a meaning on one machine too. */
  readonly stackUsage?: string;
  readonly summary: string;
  readonly examples: readonly string[];
}

export const VERB_HELP: Readonly<Record<Verb, VerbHelp>> = {
  crawl: {
    usage: 'crawl SEED... [options]',
    stackUsage: 'crawl SEED... [options]',
    summary:
      'Crawl from the seeds into WARC files. Seeds without a scheme get https, localhost and IP addresses http.',
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
    summary: 'Continue a crawl that was interrupted or met a limit, with higher limits if you give them.',
    examples: [
      'resume crawls/example.org',
      'resume crawls/example.org --max-pages 5000',
      '--stack Strand resume news --max-cost 20',
    ],
  },
  status: {
    usage: 'status DIR [options]',
    stackUsage: 'status CRAWL [options]',
    summary: 'Show the progress of a crawl: pages, URLs, hosts, errors.',
    examples: ['status crawls/example.org', 'status crawls/example.org --json', '--stack Strand status news'],
  },
  url: {
    usage: 'url DIR URL [options]',
    stackUsage: 'url CRAWL URL [options]',
    summary: 'Show what happened to a URL.',
    examples: ['url crawls/example.org https://example.org/about', '--stack Strand url news example.org'],
  },
  explain: {
    usage: 'explain [DIR] URL [options]',
    stackUsage: 'explain CRAWL URL [options]',
    summary: 'Show what would happen to a URL, and why: in a crawl, or by the settings alone.',
    examples: [
      'explain crawls/example.org https://example.org/about',
      "explain 'https://example.org/a?utm_source=x' --exclude '[?]'",
    ],
  },
  report: {
    usage: 'report DIR [options]',
    stackUsage: 'report CRAWL [options]',
    summary: 'Show what a crawl found: hosts, status codes, types, sizes, times, failures.',
    examples: [
      'report crawls/example.org',
      'report crawls/example.org --html report.html',
      'report crawls/example.org --broken --json',
      'report crawls/example.org --changes',
      '--stack Strand report news --html report.html',
    ],
  },
  history: {
    usage: 'history DIR URL [options]',
    stackUsage: 'history CRAWL URL [options]',
    summary: 'List the visits of a URL that are in the archive, and whether each found other content.',
    examples: ['history crawls/example.org https://example.org/', '--stack Strand history news example.org'],
  },
  diff: {
    usage: 'diff DIR URL [FROM [TO]]',
    stackUsage: 'diff CRAWL URL [FROM [TO]]',
    summary:
      'Show how the main text of a page has changed, word by word: at its last change, or between the visits at two times.',
    examples: [
      'diff crawls/example.org https://example.org/',
      '--stack Strand diff news example.org 2026-11-01',
    ],
  },
  changes: {
    usage: 'changes DIR [--since DATE]',
    stackUsage: 'changes CRAWL [--since DATE]',
    summary:
      'Print the pages that are new, have changed, are gone, have moved or are back, as lines of JSON: in a crawl with --recrawl or --every.',
    examples: [
      'changes crawls/example.org --since 2026-11-01',
      '--stack Strand changes news --since 2026-11-01T08:00Z',
    ],
  },
  identity: {
    usage: 'identity ACTION [FILE]',
    stackUsage: 'identity upload [FILE]',
    summary:
      'Make a key that signs requests (create, rotate), and what you publish about it (publish, page). FILE is ~/.config/strand/identity.json by default.',
    examples: [
      'identity create --agent https://crawler.example.org',
      'identity publish --contact me@example.org --out public',
      'identity rotate',
      'identity page --contact me@example.org --out crawler.html',
      '--stack Strand identity upload',
    ],
  },
  init: {
    usage: 'init [TEMPLATE] [FOLDER]',
    summary: 'Create a project from a template. Without TEMPLATE: list the templates.',
    examples: ['init', 'init archive-a-site my-archive'],
  },
  completion: {
    usage: 'completion bash|zsh|fish',
    summary: 'Print a script by which the shell completes commands and options.',
    examples: ['completion bash'],
  },
  warc: {
    usage: 'warc check FILE... | cat FILE OFFSET',
    stackUsage: 'warc check CRAWL | cat CRAWL FILE OFFSET',
    summary: 'Check WARC files, or print the record that begins at an offset.',
    examples: [
      'warc check crawls/example.org/archive',
      'warc cat a.warc.gz 0',
      '--stack Strand warc check news',
    ],
  },
  read: {
    usage: 'read URL [options]',
    summary: 'Fetch one page politely and print its main content as Markdown.',
    examples: [
      'read https://example.org/ --contact me@example.org',
      'read example.org --json --contact me@example.org',
    ],
  },
  shell: {
    usage: 'shell [DIR] URL [options]',
    summary: 'Open a REPL with a page as hooks get it: fetched politely, or read from the archive in DIR.',
    examples: [
      'shell https://example.org/ --contact me@example.org',
      `shell crawls/a https://example.org/ --eval '$("h1").text()'`,
    ],
  },
  export: {
    usage: 'export DIR --format FORMAT [options]',
    stackUsage: 'export CRAWL --format FORMAT [options]',
    summary: 'Write every known URL and its outcome; or skipped links, an index, a WACZ, documents.',
    examples: [
      'export crawls/example.org --format csv > urls.csv',
      'export crawls/a --format csv --skipped --out left-out.csv',
      'export crawls/a --items --out items.csv',
      'export crawls/example.org --format wacz --out example.wacz',
      'export crawls/a --format markdown --out pages',
      'export crawls/a --format documents --chunk 500',
      '--stack Strand export news --format parquet --in-cloud',
      'export crawls/a --format graph --out graph',
      '--stack Strand export news --format wacz --out news.wacz',
      '--stack Strand export news --format markdown --out pages',
    ],
  },
  inlinks: {
    usage: 'inlinks DIR URL [options]',
    stackUsage: 'inlinks CRAWL URL [options]',
    summary: 'List the pages that link to a URL, with the texts of their links.',
    examples: [
      'inlinks crawls/example.org https://example.org/about',
      'inlinks crawls/a https://example.org/about --anchors --json',
    ],
  },
  search: {
    usage: 'search DIR WORDS... [options]',
    stackUsage: 'search CRAWL WORDS... [options]',
    summary: 'Find pages by their words: all of them, a phrase in quotes, prefix*, and -without.',
    examples: [
      'search crawls/example.org web archive',
      "search crawls/a 'crawl* archive' --limit 3",
      'search crawls/a archive --language de --json',
    ],
  },
  send: {
    usage: 'send DIR --to ADDRESS [options]',
    stackUsage: 'send CRAWL --to ADDRESS [options]',
    summary: 'Send documents that are new, changed or gone to a search engine, webhook or bucket.',
    examples: [
      'send crawls/a --to opensearch+https://example.org:9200/pages',
      'send crawls/a --to webhook+https://example.org/documents',
      'send crawls/a --to s3://my-bucket/pages',
    ],
  },
  duplicates: {
    usage: 'duplicates DIR [options]',
    stackUsage: 'duplicates CRAWL [options]',
    summary: 'Find pages whose own texts are nearly the same, and show them in clusters.',
    examples: ['duplicates crawls/example.org', 'duplicates crawls/a --limit 100 --json'],
  },
  serve: {
    usage: 'serve DIR [options]',
    summary:
      'Show the archive of a crawl in a browser: pages without scripts, links that stay in the archive.',
    examples: ['serve crawls/example.org', 'serve crawls/example.org --port 8000'],
  },
  process: {
    usage: 'process DIR [options]',
    summary:
      "Run the project's hooks over a crawl's archive, without requests. Writes their items as JSON lines.",
    examples: [
      'process crawls/example.org > items.jsonl',
      'process crawls/a --config other.config.ts --workers 4',
    ],
  },
  add: {
    usage: 'add DIR SEED...',
    stackUsage: 'add CRAWL SEED...',
    summary: 'Add seeds to a crawl, while it runs or afterwards. On a stack, a finished crawl runs again.',
    examples: [
      'add crawls/example.org https://example.org/new',
      '--stack Strand add news example.com',
      '--stack Strand add news --seeds seeds.txt',
    ],
  },
  watch: {
    usage: 'watch DIR',
    stackUsage: 'watch CRAWL',
    summary:
      'Show the progress of a crawl that runs elsewhere, until it ends or you press Ctrl-C: pages, rate, hosts, cost.',
    examples: ['watch crawls/example.org', '--stack Strand watch news'],
  },
  list: {
    usage: 'list [FOLDER]',
    stackUsage: 'list [PREFIX]',
    summary: 'List the crawls in a folder (crawls by default), or on the stack.',
    examples: ['list', 'list /data/crawls --json', '--stack Strand list news- --state running'],
  },
  estimate: {
    usage: 'estimate PAGES HOSTS [options]',
    summary: 'Say how long a crawl will take, and what it costs on AWS, without making a request.',
    examples: ['estimate 1e6 200', 'estimate 50k 1 --delay 500ms', 'estimate 10M 20000 --even --json'],
  },
  hosts: {
    usage: 'hosts DIR [HOST] [options]',
    stackUsage: 'hosts CRAWL [HOST] [options]',
    summary: 'List the hosts of a crawl with their state, or show one host in detail.',
    examples: [
      'hosts crawls/example.org',
      'hosts crawls/example.org www.example.org',
      '--stack Strand hosts news example.org',
    ],
  },
  pause: {
    usage: 'pause DIR',
    stackUsage: 'pause CRAWL',
    summary: 'Stop making requests within seconds; URLs that wait stay due until the crawl is resumed.',
    examples: ['pause crawls/example.org', '--stack Strand pause news'],
  },
  stop: {
    usage: 'stop DIR',
    stackUsage: 'stop CRAWL',
    summary: 'End a crawl: its hosts get no more visits. It can still be resumed.',
    examples: ['stop crawls/example.org', '--stack Strand stop news'],
  },
  delete: {
    usage: 'delete DIR [options]',
    stackUsage: 'delete CRAWL [options]',
    summary:
      'Delete a crawl: its state, WARC files and items; on a stack, WARC files and items only with --archive. Asks first.',
    examples: [
      'delete crawls/example.org',
      'delete crawls/example.org --keep-archive --yes',
      '--stack Strand delete news --archive',
    ],
  },
  exports: {
    usage: 'exports CRAWL [ID]',
    summary:
      'Show the exports that the stack makes or has made (export --in-cloud), and where their files are.',
    examples: ['--stack Strand exports news', '--stack Strand exports news cdxj-20260131120000-1a2b'],
  },
  push: {
    usage: 'push DIR [options]',
    summary: 'Copy a crawl from its folder to the stack, where it can be continued.',
    examples: [
      '--stack Strand push crawls/example.org',
      '--stack Strand push crawls/example.org --name news',
    ],
  },
  pull: {
    usage: 'pull CRAWL DIR',
    summary: 'Copy a crawl that does not run from the stack to a new folder, where it can be continued.',
    examples: ['--stack Strand pull news crawls/news'],
  },
  help: {
    usage: 'help [VERB]',
    summary: 'Show this page, or the page of a command.',
    examples: ['help crawl'],
  },
};
