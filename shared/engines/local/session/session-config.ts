import { type CrawlConfig, InvalidConfig } from '../../../core/crawl/config.ts';
import type { IdentityOptions, ProxyOptions } from '../../../core/crawl/network-options.ts';
import { expiryWarning } from '../../../core/identity/identity.ts';
import { isKept, openIdentity } from '../identity-file.ts';

/** Settings of a session that are not kept with its crawl. */
export interface SessionExtras {
  /** Proxies if the crawl's settings name none; not kept with the crawl. */
  readonly proxies?: readonly ProxyOptions[];
  /** Instead of the identity that is kept with the crawl, if it has one: a private key is not kept. */
  readonly identity?: IdentityOptions;
  readonly warn?: (message: string) => void;
}

/**
 * The crawl's settings, including those that are not stored, and with the agent's origin, also if the key's file names it.
 * Throws `InvalidConfig` for an identity that cannot be used, before anything is begun: the threads would each say the same
 * later.
 */
export function sessionConfig(
  given: CrawlConfig,
  { proxies = [], identity = given.identity, warn = () => {} }: SessionExtras,
): CrawlConfig {
  const config = {
    ...given,
    ...(given.proxies.length === 0 && proxies.length > 0 && { proxies: [...proxies] }),
    ...(given.identity !== undefined && { identity }),
  };
  return config.identity === undefined ? config : withAgent(config, config.identity, warn);
}

function withAgent(
  config: CrawlConfig,
  identity: IdentityOptions,
  warn: (message: string) => void,
): CrawlConfig {
  if (!isKept(identity))
    throw new InvalidConfig(
      'The private key that signs the requests of this crawl is not kept with it: give it again, by --identity FILE or in ' +
        "the project's file",
    );
  const found = openIdentity(identity, Date.now, warn)();
  const where = typeof identity.key === 'string' ? identity.key : 'identity.key';
  const warning = expiryWarning(found, Date.now(), where);
  if (warning !== undefined) warn(warning);
  return { ...config, identity: { ...identity, agent: found.agent } };
}
