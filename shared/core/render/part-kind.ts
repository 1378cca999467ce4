/** Purpose of a request that a page makes while it is rendered. */
export type PartKind =
  | 'script'
  | 'xhr'
  | 'frame'
  | 'preflight'
  | 'style'
  | 'image'
  | 'font'
  | 'media'
  | 'other';

/** A request of a page as the browser announces it. Names of headers are in lower case. */
export interface AskedPart {
  readonly url: string;
  readonly method: string;
  /** The browser's own word, `Network.ResourceType`. */
  readonly resourceType: string;
  readonly headers: ReadonlyMap<string, string>;
}

const KINDS: ReadonlyMap<string, PartKind> = new Map([
  ['Document', 'frame'],
  ['Script', 'script'],
  ['XHR', 'xhr'],
  ['Fetch', 'xhr'],
  ['EventSource', 'xhr'],
  ['Preflight', 'preflight'],
  ['Stylesheet', 'style'],
  ['Image', 'image'],
  ['Font', 'font'],
  ['Media', 'media'],
]);

/**
 * Returns the purpose of a request. Scripts of workers, modules of JSON, streams of events and icons of pages have the
 * resource type `Other`: their header `Accept` distinguishes them.
 */
export function partKind(asked: AskedPart): PartKind {
  const { resourceType, headers } = asked;
  if (isPrefetch(headers)) return 'other';
  const kind = KINDS.get(resourceType);
  if (kind !== undefined) return kind;
  if (resourceType !== 'Other') return 'other';
  if (isStream(asked)) return 'xhr';
  return /^(?:\*\/\*$|application\/json,)/.test(headers.get('accept') ?? '') ? 'script' : 'other';
}

/** Whether the page wants events of a server (`EventSource`). */
export const isStream = ({ headers }: AskedPart): boolean =>
  headers.get('accept')?.startsWith('text/event-stream') === true;

const isPrefetch = (headers: AskedPart['headers']): boolean =>
  /prefetch|prerender/.test(`${headers.get('purpose') ?? ''} ${headers.get('sec-purpose') ?? ''}`);
