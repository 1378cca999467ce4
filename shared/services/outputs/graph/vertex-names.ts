/** The names of vertices, as Common Crawl's graphs have them (https://github.com/commoncrawl/cc-webgraph). */

/**
 * The vertex of a URL in a graph of hosts: its host name with the labels reversed and without a leading `www.`
 * (`com.example.shop`). The port does not count. An address stays as it is. Undefined for a URL without a host.
 */
export function hostVertex(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname;
  if (!hostname) return undefined;
  if (hostname.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname)) return hostname;
  const bare = /^www\.[^.]+\../.test(hostname) ? hostname.slice(4) : hostname;
  return bare.replace(/\.$/, '').split('.').reverse().join('.');
}
