import { sha1Label } from '../archive/digest.ts';
import type { RecordLocation } from '../archive/record-location.ts';
import type { UrlRecord } from '../frontier/url-record.ts';
import type { PageDocument } from './page-document.ts';

/** A document with what the crawl knows of its page: a line of `documents.jsonl`. */
export interface DocumentRow extends PageDocument {
  /** Links from a seed to the page. */
  readonly depth: number;
  /** The page that it was first found on. */
  readonly via?: string;
  /** Digest of the body as received: `sha1:` and base32. */
  readonly payloadDigest?: string;
  /** Where the page's record is in the archive. */
  readonly location?: RecordLocation;
}

export function documentRow(
  { text, markdown, ...facts }: PageDocument,
  { depth, via, result }: Pick<UrlRecord, 'depth' | 'via' | 'result'>,
): DocumentRow {
  const { digest, location } = result ?? {};
  const payloadDigest = digest && sha1Label(digest);
  return { ...facts, depth, via, payloadDigest, location, text, markdown };
}
