import type { PayloadSource } from '../shared/core/archive/payload-reader.ts';
import { locationOf, type UrlCapture, visitWithBody } from '../shared/core/archive/url-history.ts';

/** The visit whose record is read for what `visit` found: itself if it was rendered, as the same bytes may show something else. */
export async function visitToRead(
  url: string,
  visits: readonly UrlCapture[],
  visit: UrlCapture,
  { archive, maxBytes }: { readonly archive: PayloadSource; readonly maxBytes: number },
): Promise<UrlCapture> {
  const rendered = await archive.readRendered?.(url, locationOf(visit), maxBytes);
  return rendered === undefined ? visitWithBody(visits, visit) : visit;
}
