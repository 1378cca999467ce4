import { canonicalize, urlAsWritten } from './canonical.ts';

/**
 * The URL reference in a header field or a line of robots.txt, given one character an octet: octets beyond ASCII are
 * percent-encoded one by one, as browsers and curl do with a `Location`. So text in UTF-8 means what it means in a page, and
 * a server that names its files in Latin-1 is asked for what it named.
 */
export const fieldReference = (octets: string): string =>
  octets.replace(
    /[\x80-\xff]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/**
 * Where the `Location` of a response to `from` leads: a canonical URL, unless that is `from` itself. A server that insists on
 * another spelling of the escapes (`%2c` for `%2C`) is asked by that one. Undefined for what is no http(s) URL.
 */
export function redirectTarget(location: string, from: string): string | undefined {
  const reference = fieldReference(location);
  const target = canonicalize(reference, from);
  return target === from ? urlAsWritten(reference, from) : target;
}
