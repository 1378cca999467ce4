import { fieldValues, type ResponseHead } from '../outcome/response-head.ts';

/** How long pages share a script: within a crawl it hardly changes. */
export const SCRIPT_AGE_MS = 3_600_000;

/** A response that a cache would keep for all visitors, or a file, which has a date. */
const FOR_ALL = /\bpublic\b|\bimmutable\b|max-age=0*[1-9]/;
const FOR_ONE = /\bno-store\b|\bprivate\b/;
const BY_VISITOR = /\*|\bcookie\b|\bauthorization\b/;

/** Whether a request of a page may be answered by what another page has received: a script, which pages of a site share. */
export const maySharePart = (request: {
  readonly kind: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}): boolean => request.kind === 'script' && request.method === 'GET' && !('authorization' in request.headers);

/**
 * Whether a script that was received is the same for all visitors (RFC 9111, sections 4.1 and 5.2.2). If the page has
 * cookies, or the response sets some, the script may belong to an account: then the response must say that it does not.
 */
export function isForAll({ headers }: Pick<ResponseHead, 'headers'>, hasCookies: boolean): boolean {
  const of = (name: string) => fieldValues(headers, name).join(',').toLowerCase();
  const caching = of('cache-control');
  if (FOR_ONE.test(caching) || BY_VISITOR.test(of('vary'))) return false;
  if (!hasCookies && of('set-cookie') === '') return true;
  return FOR_ALL.test(caching) || of('last-modified') !== '';
}
