/** Requests as the archive has them: without the values of headers that are secret. */

import { REMOVED } from '../../core/access/removed-headers.ts';
import type { ResponseHead } from '../../core/outcome/response-head.ts';
import type { OwnHeaderValues } from './request-headers.ts';

/** Always secret, also in a request of the project's own code. */
const SECRET_NAMES: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** Whether the header's value is secret in any request. */
export const isSecretName = (name: string): boolean => SECRET_NAMES.has(name.toLowerCase());

/** Headers that reveal nothing about the operator: their values are archived. */
const OPEN_NAMES: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-type',
  'dnt',
  'from',
  'if-modified-since',
  'if-none-match',
  'pragma',
  'range',
  'referer',
  'sec-gpc',
  'upgrade-insecure-requests',
  'user-agent',
]);

/** Whether a header of the operator or of a hook is known as harmless. */
export const isOpenName = (name: string): boolean => OPEN_NAMES.has(name.toLowerCase());

/**
 * The head of a request without the values of secret fields: `Authorization`, `Cookie`, and every header that
 * the operator, a hook or a middleware has set (`own`), apart from those known as harmless.
 */
export function withoutSecrets(head: string, ...own: readonly OwnHeaderValues[]): string {
  const names = new Set(SECRET_NAMES);
  for (const headers of own)
    for (const name of Object.keys(headers ?? {})) if (!isOpenName(name)) names.add(name.toLowerCase());
  return head
    .split('\r\n')
    .map((line) => {
      const colon = line.indexOf(':');
      return colon > 0 && names.has(line.slice(0, colon).toLowerCase())
        ? `${line.slice(0, colon)}: ${REMOVED}`
        : line;
    })
    .join('\r\n');
}

/** The fields of a response without the cookies that it sets. */
export const withoutSetCookie = (headers: ResponseHead['headers']): ResponseHead['headers'] =>
  headers.map(([name, value]) => [name, name.toLowerCase() === 'set-cookie' ? REMOVED : value]);
