import { PROGRAM } from './program.ts';

/** The names that other crawlers and wget give to our options, for the message about an unknown option. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  '--out DIR': [
    'o',
    'output',
    'output-dir',
    'dir',
    'directory-prefix',
    'P',
    'collection',
    'storage',
    'project-dir',
  ],
  '--max-pages N': ['limit', 'l', 'pageLimit', 'maxRequestsPerCrawl', 'max-requests', 'pages', 'n', 'topN'],
  '--delay 0': ['no-delay', 'fast'],
  '--max-bytes SIZE': ['sizeLimit', 'quota', 'Q'],
  '--max-time TIME': ['timeLimit', 'timeout', 'max-duration'],
  '--max-depth N': ['d', 'level', 'maxDepth', 'max-hops'],
  '--hosts N': ['concurrency', 'c', 'maxConcurrency', 'concurrent-requests', 'parallel', 'fetchers'],
  '--workers N': ['threads', 't', 'processes'],
  '--delay TIME': ['wait', 'w', 'pageExtraDelay', 'download-delay', 'politeness', 'sleep', 'rate'],
  '--seeds FILE': [
    'urls',
    'url-file',
    'urlFile',
    'seedFile',
    'seed-file',
    'input-file',
    'i',
    'seed-list',
    'file',
    'f',
    'input',
  ],
  '--scope any': ['span-hosts', 'H', 'external', 'check-external'],
  '--scope prefix': ['no-parent', 'np'],
  '--scope domain': ['include-subdomains', 'subdomains', 'allowed-domains', 'domains'],
  '--scope NAME': ['scopeType', 'scope-type'],
  '--include REGEX': ['accept-regex', 'allow', 'includes', 'include-pattern', 'include-paths'],
  '--exclude REGEX': ['reject-regex', 'deny', 'reject', 'excludes', 'exclude-pattern', 'exclude-paths'],
  '--requisites': ['page-requisites', 'p', 'assets'],
  '--robots ignore': ['ignore-robots', 'no-robots', 'noRobots'],
  '--tls any': ['allow-invalid-certificates', 'no-check-certificate', 'insecure', 'k', 'ignore-https-errors'],
  '--user-agent TEXT': ['U', 'ua', 'userAgent', 'agent'],
  '--header "NAME: VALUE"': ['headers', 'extra-header'],
  '--cookies FILE': ['load-cookies', 'b', 'cookie-jar'],
  '--basic-auth USER:PASSWORD': ['u', 'user', 'auth', 'http-user', 'http-password'],
  '--proxy URL': ['x', 'proxies', 'proxy-server', 'proxyServer', 'socks5', 'socks5-hostname'],
  '--ca FILE': ['cacert', 'ca-certificate', 'ca-file'],
  '--client-cert FILE': ['cert', 'E', 'certificate'],
  '--client-key FILE': ['key', 'private-key'],
  '--name CRAWL': ['crawlId', 'crawl-id', 'job'],
  '--quiet': ['q', 'silent'],
  '--log-level debug': ['verbose', 'v', 'debug'],
  '--screenshots': ['screenshot'],
  '--render needed': ['browser-mode', 'js', 'javascript', 'headless'],
  '--watch': ['follow'],
};

const ITEMS = `onPage in strand.config.ts makes items of pages (${PROGRAM} init shop-items FOLDER); ${PROGRAM} export DIR --items writes them`;
const ACCOUNTS = 'accounts in strand.config.ts sign in (docs/accounts.md); --cookies FILE takes a session';

/** Options whose job is done by another command, or in the project's file. */
const OTHER_WAYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [ITEMS]: ['css', 'selector', 'selectors', 'xpath', 'items', 'schema', 'extract', 'O', 'csv'],
    [ACCOUNTS]: ['username', 'password', 'login', 'account', 'profile'],
    [`WARC files are always written; afterwards: ${PROGRAM} export DIR --out FILE.wacz`]: [
      'wacz',
      'warc',
      'warc-file',
      'warc-prefix',
      'generateWACZ',
      'generate-wacz',
      'generateCDX',
    ],
    [`afterwards: ${PROGRAM} export DIR --format markdown --out FOLDER, or --format documents`]: [
      'markdown',
      'formats',
      'only-main-content',
      'text',
    ],
    'behave in strand.config.ts says what a visitor does in each page; it needs --render': ['behaviors'],
    [`a command ends with its crawl; nohup, systemd or tmux keep it, and ${PROGRAM} pause DIR ends it from elsewhere`]:
      ['daemon', 'background'],
  }).flatMap(([way, names]) => names.map((name) => [name, way] as const)),
);

const AUDIT = 'docs/cli.md, "Audit a site", has a command for each question';

/** Options of `report` whose job is done by another command. */
const REPORTS: ReadonlyMap<string, string> = new Map([
  ['duplicates', `${PROGRAM} duplicates DIR finds pages with nearly the same text`],
  ['csv', `${PROGRAM} export DIR --format csv has a row for each URL`],
  ...['redirects', 'titles', 'canonicals', 'orphans', 'audit'].map((name) => [name, AUDIT] as const),
]);

/** Returns by what else an option of other crawlers (its name without dashes) is done, for this command. */
export function otherWay(verb: string, other: string): string | undefined {
  if (verb === 'report') return REPORTS.get(other);
  return verb === 'crawl' || verb === 'resume' ? OTHER_WAYS.get(other) : undefined;
}

/** Commands of other crawlers, and what does the same here. */
const OTHER_COMMANDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'read URL': ['scrape', 'fetch', 'get', 'view'],
    'crawl URL': ['run', 'start', 'runspider', 'spider', 'mirror'],
    'init TEMPLATE FOLDER': ['startproject', 'genspider', 'create', 'new'],
    'export DIR --items': ['items'],
    'export DIR --out FILE.wacz': ['wacz', 'pack'],
    'export DIR --format documents': ['documents', 'chunks', 'markdown'],
    'serve DIR': ['replay', 'wayback', 'browse'],
    'report DIR --broken': ['audit', 'check', 'linkcheck', 'links', 'broken'],
    'map URL': ['sitemap', 'urls', 'discover'],
    'status DIR --watch': ['follow', 'progress', 'stats', 'top', 'logs', 'log', 'tail'],
    list: ['ls', 'crawls', 'jobs'],
    'delete DIR': ['rm', 'remove', 'clean'],
    'pause DIR': ['kill', 'abort'],
    '--version': ['version'],
  }).flatMap(([ours, others]) => others.map((other) => [other, ours] as const)),
);

/** Returns our command for that of another crawler: `read URL` for `scrape`. */
export const commandHere = (other: string): string | undefined => OTHER_COMMANDS.get(other);

/** Our option: its name, and how it is given. */
export interface OurOption {
  readonly name: string;
  /** `--scope any` */
  readonly usage: string;
}

const OURS: ReadonlyMap<string, OurOption> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([usage, others]) => {
    const name = usage.split(' ')[0]!.replace(/^--/, '');
    return others.map((other) => [other, { name, usage }] as const);
  }),
);

/**
 * Returns what an option of another program (its name without dashes) is called here: `--max-pages N` for
 * `limit`.
 */
export const nameHere = (other: string): OurOption | undefined => OURS.get(other);
