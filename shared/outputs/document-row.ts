import { sha1Label } from '../archive/digest.ts';
import type { RecordLocation } from '../archive/record-location.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { PageDocument } from './page-document.ts';

/** A document with what the crawl knows of its page: a line of `documents.jsonl`. */
export interface DocumentRow extends Omit<PageDocument, 'metadata'> {
  readonly title?: string;
  readonly description?: string;
  readonly author?: string;
  /** As the page writes it. */
  readonly published?: string;
  readonly modified?: string;
  readonly language?: string;
  readonly siteName?: string;
  readonly image?: string;
  /** Types that the page gives itself: `Article`, `Product`. */
  readonly types: readonly string[];
  /** Links from a seed to the page. */
  readonly depth: number;
  /** The page that it was first found on. */
  readonly via?: string;
  /** Of the body as received: `sha1:` and base32. */
  readonly payloadDigest?: string;
  /** Where the page's record stands in the archive. */
  readonly location?: RecordLocation;
}

export function documentRow(
  { url, fetchedAt, metadata, text, markdown }: PageDocument,
  { depth, via, result }: Pick<UrlRecord, 'depth' | 'via' | 'result'>,
): DocumentRow {
  const { digest, location } = result ?? {};
  return {
    ...{ url, fetchedAt, ...metadata, depth, via },
    ...{ payloadDigest: digest && sha1Label(digest), location },
    ...{ text, markdown },
  };
}
