import type { ResponseHead } from '../outcome/response-head.ts';

/**
 * Headers that a browser does not get with a page or its parts: the body comes decoded and whole, and the others would
 * make the browser connect, report or ask again by itself.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'trailer',
  'accept-ch',
  'alt-svc',
  'critical-ch',
  'nel',
  'report-to',
  'reporting-endpoints',
]);

/** The headers of an answer as a browser gets them: lines `name: value`, with NUL between them. */
export function answerHeaders(headers: ResponseHead['headers']): Buffer {
  const kept = headers.filter(([name]) => !LEFT_OUT.has(name.toLowerCase()));
  return Buffer.from(kept.map(([name, value]) => `${name}: ${value}`).join('\0'), 'latin1');
}

/** The headers of an answer that further pages get, too: without the cookies that it has set for the first one. */
export const sharedHeaders = (headers: ResponseHead['headers']): ResponseHead['headers'] =>
  headers.filter(([name]) => name.toLowerCase() !== 'set-cookie');

export const headersLength = (headers: ResponseHead['headers']): number =>
  headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Headers of a browser's request that the crawler sets itself, or that no site gets from it. */
const OWN =
  /^(?:host|connection|content-length|cookie|user-agent|accept-encoding|accept-language|sec-.*|upgrade-insecure-requests|purpose)$/;

/** The headers of a page's request that go to the site. `headers`: names in lower case. */
export const partHeaders = (headers: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !OWN.test(name)));
