import { createHash } from 'node:crypto';
import { sha1Label } from '../../core/archive/digest.ts';
import type { RecordLocation } from '../../core/archive/record-location.ts';
import { nearDuplicateIn } from '../../core/causes/cause.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import {
  combineUsage,
  type UsagePreferences,
  type UsageStatement,
} from '../../core/usage/usage-statement.ts';
import type { PageDocument } from './page-document.ts';

/** A document with what the crawl knows of its page: a line of `documents.jsonl`. */
export interface DocumentRow extends PageDocument {
  /** Links from a seed to the page. */
  readonly depth: number;
  /** The page that it was first found on. */
  readonly via?: string;
  /** The page whose text is nearly the same, if the crawl marks such pages. */
  readonly duplicateOf?: string;
  /** The uses that the site allows or forbids; missing if it has stated nothing. */
  readonly usage?: UsagePreferences;
  /** Digest of the body as received: `sha1:` and base32. */
  readonly payloadDigest?: string;
  /** Digest of `text` in UTF-8, in the same form: pages with the same one have the same text. */
  readonly textDigest: string;
  /** Where the page's record is in the archive. */
  readonly location?: RecordLocation;
}

export function documentRow(
  { text, markdown, ...facts }: PageDocument,
  { depth, via, result }: Pick<UrlRecord, 'depth' | 'via' | 'result'>,
  statements: readonly UsageStatement[] = [],
): DocumentRow {
  const { digest, location, cause } = result ?? {};
  const of = nearDuplicateIn(cause)?.of;
  const duplicateOf = of !== undefined && { duplicateOf: of };
  const payloadDigest = digest && sha1Label(digest);
  const textDigest = sha1Label(createHash('sha1').update(text).digest());
  const usage = statements.length > 0 && { usage: combineUsage(statements) };
  return {
    ...facts,
    depth,
    via,
    ...duplicateOf,
    ...usage,
    payloadDigest,
    textDigest,
    location,
    text,
    markdown,
  };
}
