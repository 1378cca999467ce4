import { InvalidConfig } from '../../core/crawl/invalid-config.ts';
import { createOriginTable } from '../../core/url/origin-pattern.ts';
import type { AccountOptions } from '../project/account-options.ts';

/**
 * Throws {@link InvalidConfig} if an account of a seed's host has its secret in a variable that is not set: its login would
 * fail, and the crawl wait for the next one.
 */
export function refuseMissingVariables(
  accounts: readonly AccountOptions[],
  seeds: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  for (const { name, hosts, secret, cookies } of accounts) {
    const reference = [secret, cookies].find(
      (one) => one?.startsWith('env:') && environment[one.slice(4)] === undefined,
    );
    if (reference === undefined) continue;
    const isOwn = createOriginTable(hosts.map((pattern): [string, true] => [pattern, true]));
    if (seeds.some((seed) => isOwn(seed).length > 0))
      throw new InvalidConfig(
        `The account ${name} reads ${reference}, and this variable is not set: set it, and begin again`,
      );
  }
}
