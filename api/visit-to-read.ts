import type { PayloadSource } from '../shared/core/archive/payload-reader.ts';
import { NotWarc } from '../shared/core/archive/read-warc.ts';
import { locationOf, type UrlCapture, visitWithBody } from '../shared/core/archive/url-history.ts';

/** The visit whose record is read for what `visit` found: itself if it was rendered, as the same bytes may show something else. */
export async function visitToRead(
  url: string,
  visits: readonly UrlCapture[],
  visit: UrlCapture,
  { archive, maxBytes }: { readonly archive: PayloadSource; readonly maxBytes: number },
): Promise<UrlCapture> {
  const own = visitWithBody(visits, visit);
  return own === visit || !(await wasRendered()) ? own : visit;

  async function wasRendered(): Promise<boolean> {
    if ((await archive.hasRendered?.()) === false) return false;
    try {
      return (await archive.readRendered?.(url, locationOf(visit), maxBytes)) !== undefined;
    } catch (error) {
      // Its rendered form is damaged: who reads it says so.
      if (error instanceof NotWarc) return true;
      throw error;
    }
  }
}
