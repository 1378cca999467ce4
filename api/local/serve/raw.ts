/** A response of the archive as it was, for programs such as pywb: `/TIMEid_/URL`. */
import { redirectTarget } from '../../../shared/core/url/field-reference.ts';
import type { ArchivedPayload } from '../../../shared/services/exports/archived-payloads.ts';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Python's client takes 100 headers. */
const MAX_HEADERS = 60;
const MAX_VALUE = 4096;
/** Headers that describe the body, which is sent decoded. */
const DESCRIBING = new Set(['content-type', 'content-language']);
/** Headers that describe how it was sent at that time. */
const LEFT_OUT = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'location',
]);

/**
 * The body is that of the page, decoded. Its headers are `X-Archive-Orig-NAME`, as the Wayback Machine gives them, but
 * for the media type: under their own names they would act on this server. `leadTo` returns where a redirect leads.
 */
export function rawResponse(
  { status, headers, body }: ArchivedPayload,
  url: string,
  leadTo: (target: string) => string,
): RawResponse {
  const kept: Record<string, string> = {};
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    const at = DESCRIBING.has(name) ? name : `x-archive-orig-${name}`;
    if (LEFT_OUT.has(name) || at in kept || !isHeader(name, value)) continue;
    if (Object.keys(kept).length < MAX_HEADERS) kept[at] = value;
  }
  const location = headers.find(([name]) => name.toLowerCase() === 'location')?.[1];
  const target = location === undefined ? undefined : redirectTarget(location, url);
  if (target !== undefined) kept['location'] = leadTo(target);
  return { status: status >= 200 && status <= 599 ? status : 200, headers: kept, body };
}

const isHeader = (name: string, value: string): boolean =>
  /^[a-z0-9-]{1,64}$/.test(name) && value.length <= MAX_VALUE && /^[\t -~]*$/.test(value);
