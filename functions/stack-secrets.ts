/** The secrets that a deployer gives all crawls of a stack, as a parameter holds them: pure. */
import { z } from 'zod';
import { type CrawlConfig, crawlConfigSchema } from '../shared/core/crawl/config.ts';
import { describeIssues, type Path } from '../shared/core/text/describe-issues.ts';
import { keysAt } from '../shared/core/text/schema-keys.ts';

const { headers, cookies, auth, proxies } = crawlConfigSchema().shape;

const ANYBODY = ['*', 'seeds'];

const ofHosts = (hosts: object): boolean => !Object.keys(hosts).some((host) => ANYBODY.includes(host));
/** The caller who begins a crawl chooses its seeds, which may be the caller's own hosts. */
const NAMES_HOSTS = {
  error: 'names of hosts, neither * nor seeds: the caller who begins a crawl chooses its hosts',
};

const secretsSchema = z.strictObject({
  headers: headers.refine(ofHosts, NAMES_HOSTS),
  cookies,
  auth: auth.refine(ofHosts, NAMES_HOSTS),
  proxies,
});

export type StackSecrets = Readonly<Pick<CrawlConfig, 'headers' | 'cookies' | 'auth' | 'proxies'>>;

/** Returns the secrets, or throws an error that shows none of them. */
export function readStackSecrets(value: unknown): StackSecrets {
  const parsed = secretsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const name = (path: Path) => path.join('.') || 'the value';
  const issues = describeIssues(parsed.error, value, {
    name,
    object: (path) => ({ name: name(path), keys: keysAt(secretsSchema, path) }),
    isSecret: () => true,
  });
  throw new Error(issues.map(({ message }) => message).join('; '));
}

/** Returns the crawl's settings with the secrets. The crawl's own ones come first; its proxies replace all others. */
export const withStackSecrets = (config: CrawlConfig, secrets: StackSecrets): CrawlConfig => ({
  ...config,
  headers: { ...secrets.headers, ...config.headers },
  cookies: [...secrets.cookies, ...config.cookies],
  auth: { ...secrets.auth, ...config.auth },
  proxies: config.proxies.length > 0 ? config.proxies : secrets.proxies,
});
