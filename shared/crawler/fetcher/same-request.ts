/** Whether an archived request equals a request that is about to be made. */
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import { createOwnHeaders, type OwnHeaderOptions } from './own-headers.ts';
import { commonHeaders, mergeHeaders } from './request-headers.ts';
import { isSecretName, withoutSecrets } from './without-secrets.ts';

/** Headers that name the client or concern the connection, not the requested resource. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  // They change and expire.
  'cookie',
  'from',
  'host',
  'proxy-authorization',
  'referer',
  'signature',
  'signature-agent',
  'signature-input',
  'user-agent',
]);

export type SameRequest = (request: FetchRequest, archived: Uint8Array) => boolean;

/** Whether the request may have the same answer as another one: a GET, without a body and without credentials. */
export const isRepeatable = ({ method = 'GET', body, headers = {} }: FetchRequest): boolean =>
  method === 'GET' && body === undefined && !Object.keys(headers).some(isSecretName);

/**
 * Returns a function that compares a request with the block of an archived `request` record. The two must be GET
 * requests with equal headers, apart from those that name the client. Of headers whose values are kept out of archives,
 * the names are compared.
 */
export function createSameRequest(
  options: OwnHeaderOptions & Parameters<typeof commonHeaders>[0],
  now: () => number,
): SameRequest {
  const common = commonHeaders(options);
  const ownHeadersOf = createOwnHeaders(options);
  return (request, archived) => {
    const text = Buffer.from(archived).toString('latin1');
    if (!isRepeatable(request) || !text.startsWith('GET ')) return false;
    const own = ownHeadersOf(request.url, now);
    const sent = mergeHeaders(common, own, request.headers);
    const lines = sent.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${sent[i + 1]}`] : []));
    const archivedFields = text.slice(text.indexOf('\r\n') + 2);
    return comparable(withoutSecrets(lines.join('\r\n'), own)) === comparable(archivedFields);
  };
}

/** The headers that are compared, as one text. */
function comparable(head: string): string {
  const fields = head
    .split('\r\n\r\n', 1)[0]!
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) return [];
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      return NOT_COMPARED.has(name) ? [] : [`${name}: ${value}`];
    });
  return fields.sort().join('\n');
}
