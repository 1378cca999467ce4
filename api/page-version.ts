/** A page of the archive as a document, as it stood at a time. */
import { PayloadReader, type PayloadSource } from '../shared/core/archive/payload-reader.ts';
import { locationOf, type UrlCapture, visitAt } from '../shared/core/archive/url-history.ts';
import { forbiddenUse, type Purpose } from '../shared/core/usage/purpose.ts';
import { combineUsage, type UsagePreferences } from '../shared/core/usage/usage-statement.ts';
import {
  documentOf,
  type ModuleReading,
  type PageDocument,
} from '../shared/services/outputs/page-document.ts';
import { visitToRead } from './visit-to-read.ts';

/** A page as a document, with the visit that it is of. */
export interface PageVersion {
  readonly visit: UrlCapture;
  readonly document: PageDocument;
  /** The uses that the site allows or forbids; missing if it has stated nothing. */
  readonly usage?: UsagePreferences;
}

export interface VersionOptions {
  /** The last visit until then, or the first one of all. Default: the last visit. */
  readonly at?: Date | undefined;
  /** Leaves out what a browser would not show of HTML: hidden elements, texts outside of the page. */
  readonly onlySeen?: boolean;
  /** The language is the one that the page declares, not the one that is detected: that takes 80 MB of memory, once. */
  readonly asDeclared?: boolean;
  /** Refuses a page whose site forbids the use that this purpose makes. Default: any page is given. */
  readonly purpose?: Purpose;
}

/** The archive has no such version of a page: the message says why. */
class NoVersion extends Error {
  override readonly name = 'NoVersion';
}

const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** `visits`: the history of the page. Throws {@link NoVersion}. */
export async function versionOf(
  url: string,
  visits: readonly UrlCapture[],
  archive: PayloadSource,
  {
    at,
    onlySeen,
    asDeclared,
    purpose,
    modules,
  }: VersionOptions & { readonly modules?: ModuleReading | undefined },
): Promise<PageVersion> {
  const visit = at ? visitAt(visits, at) : visits.at(-1);
  if (visit === undefined) throw new NoVersion(`the archive has no visit of ${url}`);
  const own = await visitToRead(url, visits, visit, { archive, maxBytes: MAX_PAGE_BYTES });
  const location = locationOf(own);
  const usage = (await archive.readUsage?.(url, location)) ?? [];
  const use = forbiddenUse(purpose, usage);
  if (use !== undefined) throw new NoVersion(`the site of ${url} forbids its use (${use})`);
  const document = await read().catch((error: Error) => {
    throw new NoVersion(`the visit of ${url} at ${own.time} cannot be read: ${error.message}`, {
      cause: error,
    });
  });
  if (document === undefined)
    throw new NoVersion(
      `the visit of ${url} at ${own.time} has shown no document with a text (HTTP ${own.httpStatus})`,
    );
  return { visit, document, ...(usage.length > 0 && { usage: combineUsage(usage) }) };

  async function read(): Promise<PageDocument | undefined> {
    const { response, payload } = await new PayloadReader(archive, 'shown').read(location, MAX_PAGE_BYTES);
    const page = { date: response.date, headers: payload.headers, body: payload.body };
    const asked = { onlySeen: onlySeen === true, asDeclared: asDeclared === true };
    return documentOf(url, page, MAX_PAGE_BYTES, { modules, ...asked });
  }
}
