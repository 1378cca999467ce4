import type { OutLinks } from '../shared/core/frontier/message.ts';
import { quoted } from '../shared/core/text/printable.ts';
import { canonicalPage } from '../shared/core/url/hash-route.ts';
import { fetchedUrl } from '../shared/core/url/request-url.ts';
import { crawlIdSchema } from '../shared/services/control/request-schemas.ts';
import { isRequestName } from '../shared/services/hooks/collect-requests.ts';

/**
 * Limit of all texts of a parcel together: 20,000 links of 2,083 characters each. They are short while
 * front-coded.
 */
const MAX_CHARACTERS = 64 * 1024 * 1024;

/**
 * Returns the fault of a parcel that no worker of ours can have sent, or undefined: callers that may send
 * seeds can send parcels, too. A URL that is not canonical would belong to a host of its own (`EXAMPLE.org`,
 * `example.org:443`), and each of these hosts would be fetched at the same time, at the pace of one. A
 * project's request must be one that its hook can make, and the stack must have a project (`hasHooks`): who may send seeds may
 * have pages fetched, and no POST or DELETE made. A crawl's name becomes a key.
 */
export function parcelFault({ crawl, links }: OutLinks, hasHooks: boolean): string | undefined {
  if (!crawlIdSchema.safeParse(crawl).success)
    return `Expected a parcel of links for a crawl, got one for ${quoted(crawl)}`;
  const characters = links.reduce((sum, { url, via = '' }) => sum + url.length + via.length, 0);
  if (characters > MAX_CHARACTERS)
    return `Expected a parcel of at most ${MAX_CHARACTERS} characters, got ${characters}`;
  const wrong = links.find(({ url }) => canonicalPage(url) !== url && !(hasHooks && isRequestName(url)));
  if (wrong === undefined) return undefined;
  return isRequestName(wrong.url)
    ? `Expected a parcel of URLs, as no hooks were deployed, got a request of a hook for ${quoted(fetchedUrl(wrong.url))}`
    : `Expected a parcel of canonical URLs, got ${quoted(wrong.url)}`;
}
