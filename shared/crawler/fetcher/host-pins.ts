import { isIP } from 'node:net';
import { InvalidConfig } from '../../core/crawl/config.ts';
import { compileHostPattern } from '../../core/url/host-pattern.ts';

/**
 * The `resolve` option: host names pinned to an address, before any DNS query. A pattern is an exact name
 * or has `*` for one or more labels (or part of one); the first that matches decides. Gives the address,
 * or undefined. Throws {@link InvalidConfig} for an invalid address.
 */
export function createHostPins(
  pins: readonly (readonly [pattern: string, address: string])[],
): (hostname: string) => string | undefined {
  const compiled = pins.map(([pattern, address]) => {
    const bare = address.replace(/^\[(.*)\]$/, '$1');
    if (isIP(bare) === 0) {
      throw new InvalidConfig(
        `Expected \`resolve\` to pin ${JSON.stringify(pattern)} to an IP address, got ${JSON.stringify(address)}`,
      );
    }
    return { matches: compileHostPattern(pattern), address: bare };
  });
  return (hostname) => compiled.find(({ matches }) => matches(hostname))?.address;
}
