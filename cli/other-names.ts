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
  '--max-bytes SIZE': ['sizeLimit', 'quota', 'Q'],
  '--max-time TIME': ['timeLimit', 'timeout', 'max-duration'],
  '--max-depth N': ['d', 'level', 'maxDepth', 'max-hops'],
  '--hosts N': ['concurrency', 'c', 'maxConcurrency', 'concurrent-requests', 'parallel', 'fetchers'],
  '--workers N': ['threads', 't', 'processes'],
  '--delay TIME': ['wait', 'w', 'pageExtraDelay', 'download-delay', 'politeness', 'sleep', 'rate'],
  '--seeds FILE': ['urls', 'url-file', 'urlFile', 'seedFile', 'seed-file', 'input-file', 'i', 'seed-list'],
  '--scope any': ['span-hosts', 'H', 'external'],
  '--scope prefix': ['no-parent', 'np'],
  '--scope domain': ['include-subdomains', 'subdomains'],
  '--scope NAME': ['scopeType', 'scope-type'],
  '--include REGEX': ['accept-regex', 'allow', 'includes', 'include-pattern'],
  '--exclude REGEX': ['reject-regex', 'deny', 'reject', 'excludes', 'exclude-pattern'],
  '--requisites': ['page-requisites', 'p', 'assets'],
  '--robots ignore': ['ignore-robots', 'no-robots', 'noRobots'],
  '--allow-invalid-certificates': ['no-check-certificate', 'insecure', 'k', 'ignore-https-errors'],
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
};

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
