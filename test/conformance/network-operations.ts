/** Whether a connection would be made: the choice of addresses that every connection begins with. */

import { canonicalize } from '../../shared/core/url/canonical.ts';
import { hostKey, hostName } from '../../shared/core/url/host-key.ts';
import { createAddressGuard } from '../../shared/crawler/fetcher/address-guard.ts';
import { chooseAddresses } from '../../shared/crawler/fetcher/choose-addresses.ts';
import { createDnsCache } from '../../shared/crawler/fetcher/dns-cache.ts';
import { KnownFailure } from '../../shared/crawler/fetcher/failure.ts';
import { type Operation, type Question, textOf } from './question.ts';

export const NETWORK_OPERATIONS: Readonly<Record<string, Operation>> = {
  /**
   * The addresses that pass are those that the connector goes to, and it asks no second time; so of a name
   * that resolves to something else a moment later, only the first answer counts.
   */
  async ssrf(question) {
    const url = canonicalize(textOf(question, 'url'));
    if (url === undefined) return { allow: false };
    const answers = stubbedAnswers(question);
    const lookup = async () => ({ addresses: answers.shift() ?? [] });
    const choice = {
      pin: () => undefined,
      resolve: createDnsCache(lookup, () => 0),
      guard: createAddressGuard([]),
    };
    try {
      return { allow: (await chooseAddresses(hostName(hostKey(url)), choice)).length > 0 };
    } catch (error) {
      if (error instanceof KnownFailure) return { allow: false };
      throw error;
    }
  },
};

/** Returns the addresses of the name, the first time, the second, and so on. */
function stubbedAnswers({ resolves_to, answers }: Question): string[][] {
  const given = answers ?? resolves_to ?? [];
  const list: unknown[] = Array.isArray(given) ? given : [given];
  return list.some(Array.isArray) ? list.map((answer) => [answer].flat().map(String)) : [list.map(String)];
}
