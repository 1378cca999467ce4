import { canonicalize, urlAsWritten } from './canonical.ts';

/**
 * The URL reference in a header field or a line of robots.txt, given one character an octet: octets beyond ASCII are
 * percent-encoded one by one, as browsers and curl do with a `Location`. So text in UTF-8 means the same as in a page,
 * and a file that a server names in Latin-1 is requested by that name.
 */
export const fieldReference = (octets: string): string =>
  octets.replace(
    /[\x80-\xff]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * Where the `Location` of a response to `from` leads: a canonical URL, unless that is `from` itself. If a server
 * insists on another spelling of the escapes (`%2c` for `%2C`), that one is requested. Undefined if the target is not
 * an http(s) URL.
 */
export function redirectTarget(location: string, from: string): string | undefined {
  const reference = fieldReference(location);
  const target = canonicalize(reference, from);
  return target === from ? urlAsWritten(reference, from) : target;
}
