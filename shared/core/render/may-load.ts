import { withoutFragment } from '../parser/link-set.ts';
import { PAGE_LIMITS } from './page-limits.ts';
import { type AskedPart, isStream, type PartKind, partKind } from './part-kind.ts';

/** A page's requests so far, and its limits. */
export interface PageLoad {
  /** The page's URL, and how often its main frame has got the document. */
  readonly url: string;
  readonly documents: number;
  /** The request is a navigation of the main frame. */
  readonly isOfMainFrame: boolean;
  /** Requests that were made for the page, and the bytes of their answers. */
  readonly requests: number;
  readonly bytes: number;
  /** How often the page has made a request to this URL before. */
  readonly timesAsked: number;
  /** Requests that were answered with nothing. */
  readonly emptied: number;
  /** A behaviour has clicked: from then on a request may be an order, and not only reading. */
  readonly hasClicked: boolean;
  /** The page is also rendered as a picture. */
  readonly takesPicture: boolean;
  readonly limits: { readonly requests: number; readonly bytes: number };
}

/** The decision on a request of a page. */
export type LoadDecision =
  /** It is made, by the crawler. */
  | { readonly do: 'fetch'; readonly kind: PartKind }
  /** The browser has the content itself. */
  | { readonly do: 'local' }
  /** It is answered with nothing, as if it were loaded: scripts wait for it. */
  | { readonly do: 'empty'; readonly kind: 'style' | 'image' }
  /** The document of the main frame, which the crawl has fetched. */
  | { readonly do: 'document' }
  /** The page wants to go elsewhere. It stays as it is. `link`: the URL, if that is a link. */
  | { readonly do: 'stay'; readonly link?: string }
  | { readonly do: 'refuse'; readonly reason: string };

/** A page that requests a URL more often polls it. A stream of events that has ended is asked for again by the browser. */
const MAX_TIMES = 3;
const MAX_STREAMS = 1;

const RENDERING: ReadonlySet<PartKind> = new Set(['script', 'xhr', 'frame', 'preflight']);
const PICTURE: ReadonlySet<PartKind> = new Set(['style', 'image', 'font']);
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Decides on a request of a page. Only what renders the page is loaded, and nothing is sent for its own sake. */
export function mayLoad(asked: AskedPart, page: PageLoad): LoadDecision {
  const { url, method, resourceType } = asked;
  const isWeb = /^https?:\/\//i.test(url);
  if (resourceType === 'Document') {
    if (page.isOfMainFrame) return getsDocument(asked, page) ? { do: 'document' } : stay(asked, isWeb);
    if (isWeb && method !== 'GET') return { do: 'stay' };
  }
  if (/^(?:data|blob):/i.test(url)) return { do: 'local' };
  if (!isWeb) return refuse('its scheme');
  const kind = partKind(asked);
  if ((kind === 'style' || kind === 'image') && !page.takesPicture)
    return page.emptied < PAGE_LIMITS.emptyParts ? { do: 'empty', kind } : refuse('too many requests');
  if (!RENDERING.has(kind) && !(page.takesPicture && PICTURE.has(kind)))
    return refuse('not needed for rendering');
  if (page.hasClicked && !READING.has(method)) return refuse(`${method} after a click`);
  const mostTimes = isStream(asked) ? MAX_STREAMS : MAX_TIMES;
  if (page.timesAsked >= mostTimes) return refuse('requested too often');
  if (page.requests >= page.limits.requests) return refuse('too many requests');
  if (page.bytes >= page.limits.bytes) return refuse('too many bytes');
  return { do: 'fetch', kind };
}

/** A page that has kept something, as a cookie or the consent of its visitor, may load itself again to show more. */
const getsDocument = ({ url, method }: AskedPart, page: PageLoad): boolean =>
  page.documents === 0 ||
  (page.documents < PAGE_LIMITS.loads &&
    method === 'GET' &&
    withoutFragment(url) === withoutFragment(page.url));

/** A form that is posted leads nowhere that a crawler may go. */
const stay = ({ url, method }: AskedPart, isWeb: boolean): LoadDecision =>
  isWeb && method === 'GET' ? { do: 'stay', link: url } : { do: 'stay' };

const refuse = (reason: string): LoadDecision => ({ do: 'refuse', reason });
