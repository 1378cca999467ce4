/** A metadata record for a page: how the page was found, and its links (ISO 28500:2017, section 6.6). */
import type { ResponseHead } from '../outcome/response-head.ts';
import type { LinkKind } from '../parser/link-set.ts';
import type { UsageStatement } from '../usage/usage-statement.ts';
import { sha1LabelOf } from './digest.ts';
import { END_OF_FIELDS, encodeRecord, fieldValue } from './warc-record.ts';

/** Where the standard or Heritrix has a name for a fact, it is written under that. */
export interface MetadataFacts {
  /** The id of the response or revisit record. */
  readonly concurrentTo: string;
  readonly url: string;
  /** WARC-Date of that record. */
  readonly date: string;
  /** Undefined for a seed. */
  readonly via?: string | undefined;
  /** Links that led here from a seed. */
  readonly hopsFromSeed: number;
  /** Undefined for a response of an earlier crawl. */
  readonly fetchTimeMs?: number | undefined;
  /** WARC-Record-ID of the earlier crawl's record from which the crawl's cache took the response. */
  readonly copiedFrom?: string | undefined;
  /** Why its certificate was not accepted as valid, though the connection was made. */
  readonly tlsError?: string | undefined;
  readonly title?: string | undefined;
  /** Statements of the site about the use of the content. */
  readonly usage?: readonly UsageStatement[] | undefined;
  /** By which the document was read. */
  readonly charset?: string | undefined;
  /** Undefined if the document was not read for links. */
  readonly links?: readonly { readonly url: string; readonly kind: LinkKind }[] | undefined;
  /** Links of the page that are not among `links`, and why. */
  readonly droppedLinks?: number | undefined;
  readonly dropCause?: string | undefined;
  /** The head of a 304, which its revisit record does not hold. */
  readonly notModified?: ResponseHead | undefined;
}

export interface MetadataOptions {
  /**
   * At most this many links are written, up to 500; the others are only counted. Default: none. 60 of them
   * make the record 500 bytes longer and three times as expensive.
   */
  readonly maxOutlinks?: number;
  /** Returns the record's id (`recordId`). */
  readonly newId: () => string;
}

const MAX_OUTLINKS = 500;
const MAX_TITLE_CHARS = 1000;
/** Characters of a 304's head. */
const MAX_HEAD_CHARS = 8192;
/** As Heritrix has it: a longer way is its length and its end. */
const MAX_HOPS = 50;
/**
 * Measured: 0.6 KB take 0.03 ms to compress, to half of that, and 0.003 ms to be left as they are; 5 KB
 * become 0.9 KB.
 */
const MAX_STORED_CHARS = 1024;

/**
 * The record as one gzip member: 0.01 ms without outlinks. To be appended after the record that it is about.
 */
export function encodeMetadata(facts: MetadataFacts, options: MetadataOptions): Uint8Array[] {
  const { maxOutlinks = 0, newId } = options;
  const text = fieldsOf(facts, Math.min(maxOutlinks, MAX_OUTLINKS));
  const block = Buffer.from(`${text}${END_OF_FIELDS}`);
  return encodeRecord(
    {
      'WARC-Type': 'metadata',
      'WARC-Record-ID': newId(),
      'WARC-Date': facts.date,
      'WARC-Target-URI': facts.url,
      'WARC-Concurrent-To': [facts.concurrentTo],
      'WARC-Block-Digest': sha1LabelOf(block),
      'Content-Type': 'application/warc-fields',
    },
    block,
    undefined,
    block.length > MAX_STORED_CHARS ? 'deflate' : 'store',
  );
}

function fieldsOf(facts: MetadataFacts, maxOutlinks: number): string {
  const {
    via,
    hopsFromSeed,
    fetchTimeMs,
    copiedFrom,
    tlsError,
    title,
    charset,
    links,
    droppedLinks = 0,
    dropCause,
    notModified,
    usage = [],
  } = facts;
  let text = via === undefined && hopsFromSeed === 0 ? 'seed: \r\n' : '';
  if (via !== undefined) text += line('via', via);
  if (hopsFromSeed > 0) text += line('hopsFromSeed', hopsText(hopsFromSeed));
  if (fetchTimeMs !== undefined) text += line('fetchTimeMs', String(Math.max(0, Math.round(fetchTimeMs))));
  if (copiedFrom !== undefined) text += line('copiedFrom', copiedFrom);
  if (tlsError !== undefined) text += line('tlsError', tlsError);
  if (charset !== undefined) text += line('charsetForLinkExtraction', charset);
  if (title !== undefined) text += line('title', title.slice(0, MAX_TITLE_CHARS).toWellFormed());
  for (const { source, signal, value } of usage)
    text += line('usage-preference', `${source} ${signal}: ${value.toWellFormed()}`);
  if (notModified) text += notModifiedLines(notModified);
  if (links === undefined) return text;
  text += line('outlinkCount', String(links.length));
  if (droppedLinks > 0) text += line('outlinksLeftOut', [droppedLinks, dropCause].join(' ').trim());
  for (let i = 0; i < links.length && i < maxOutlinks; i++) {
    const { url, kind } = links[i]!;
    text += line('outlink', `${url} ${hopOf(kind)} ${kind}`);
  }
  return text;
}

function notModifiedLines({ httpStatus, statusText, headers }: ResponseHead): string {
  let text = line('responseStatus', `${httpStatus} ${statusText}`.trimEnd());
  for (const [name, value] of headers) {
    const field = line('responseHeader', `${name}: ${value}`);
    if (text.length + field.length > MAX_HEAD_CHARS) break;
    text += field;
  }
  return text;
}

/** Always one line, even if the value from the web has line breaks. */
const line = (name: string, value: string): string => `${name}: ${fieldValue(value)}\r\n`;

/** A letter for each hop; which of them were links and which were not is not known. */
const hopsText = (hops: number): string =>
  hops <= MAX_HOPS ? 'L'.repeat(hops) : `${hops}+${'L'.repeat(MAX_HOPS)}`;

/** Heritrix's letters: a link, an embedded resource, a refresh, a URL of a list. */
function hopOf(kind: LinkKind): string {
  switch (kind) {
    case 'a':
    case 'area':
    case 'link':
    case 'feed':
    case 'item':
      return 'L';
    case 'refresh':
      return 'R';
    case 'url':
    case 'sitemap':
      return 'M';
    default:
      return 'E';
  }
}
