/**
 * Checks of network settings that need no schema: the command line also makes them, and most commands load no zod.
 */

/** Stands for the origins of the crawl's seeds in a map by host pattern. */
export const SEEDS = 'seeds';

/**
 * Names of headers that no setting may set, each with the reason: the crawler sets them itself, or the
 * archive would be wrong.
 */
const OWN = 'it belongs to the connection';
const CONDITIONAL = 'the answer would not be the whole page';
const SIGNED = 'each request has its own signature, by the key of identity (--identity)';
export const REFUSED_HEADERS: Readonly<Record<string, string>> = {
  host: 'it comes from the URL',
  'content-length': OWN,
  'transfer-encoding': OWN,
  connection: OWN,
  'keep-alive': OWN,
  te: OWN,
  trailer: OWN,
  upgrade: OWN,
  expect: OWN,
  'proxy-connection': OWN,
  'proxy-authorization': 'it comes from the URL of the proxy: http://user:password@proxy:8080',
  'user-agent': 'use userAgent (--user-agent)',
  'accept-encoding': 'the crawler requests the codings that it can decode',
  signature: SIGNED,
  'signature-agent': SIGNED,
  'signature-input': SIGNED,
  range: CONDITIONAL,
  'if-range': CONDITIONAL,
  'if-match': CONDITIONAL,
  'if-none-match': CONDITIONAL,
  'if-modified-since': CONDITIONAL,
  'if-unmodified-since': CONDITIONAL,
};

const PROXY_KINDS = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** Whether the text is `direct` or the URL of a proxy, with no path. SOCKS5 allows 255 bytes for each. */
export function isProxyUrl(text: string): boolean {
  if (text === 'direct') return true;
  const url = text.length <= 2000 ? URL.parse(text) : null;
  if (url === null || !PROXY_KINDS.includes(url.protocol) || url.hostname === '') return false;
  const isBare = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
  const decodes = (part: string) => {
    try {
      const bytes = Buffer.byteLength(decodeURIComponent(part));
      return bytes <= 255;
    } catch {
      return false;
    }
  };
  return isBare && decodes(url.username) && decodes(url.password);
}
