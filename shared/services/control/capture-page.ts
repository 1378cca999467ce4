/** The captures of a crawl's archive by URL: the visits that brought a response, a page at a time. */
import { z } from 'zod';
import { epochOf, keyRanges, secondOf } from '../../core/archive/capture-query.ts';
import type { IndexedCapture } from '../../core/archive/parse-cdxj-line.ts';
import { REVISIT } from '../../core/archive/payload-reader.ts';
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import type {
  CaptureEntry,
  CapturePage,
  CapturePageRequest,
  CapturePlace,
  CapturesAsked,
  CapturesFound,
} from './captures.ts';
import { ControlError } from './control.ts';

const placeSchema = z.strictObject({
  file: z.string().min(1).max(1024),
  at: z.int().min(0),
  madeAt: z.int().min(0).optional(),
});

const DEFAULT_LIMIT = 100;

/** Throws {@link ControlError} for a request that is not valid. */
export async function pageOfCaptures(
  read: (crawl: CrawlId, asked: CapturesAsked) => Promise<CapturesFound>,
  crawl: CrawlId,
  { url, matchType = 'exact', from, to, cursor, limit = DEFAULT_LIMIT }: CapturePageRequest,
): Promise<CapturePage> {
  const range = keyRanges(url, matchType)?.[0];
  if (url.trim() === '' || range === undefined)
    throw new ControlError('invalid', `Expected an http or https URL, got ${quoted(url)}`, 'url');
  const { captures, damaged, next } = await read(crawl, {
    ...range,
    first: secondIn('from', from, 'first'),
    last: secondIn('to', to, 'last'),
    limit,
    place: cursor === undefined ? undefined : placeOf(cursor),
  });
  return { captures: captures.map(entryOf), damaged, cursor: next && cursorOf(next) };
}

function secondIn(name: string, given: string | undefined, end: 'first' | 'last'): string | undefined {
  if (given === undefined) return undefined;
  const second = secondOf(given, end);
  if (second !== undefined) return second;
  const message = `Expected ${name} to be a time YYYYMMDDhhmmss, the beginning of one, or ISO 8601, got ${quoted(given)}`;
  throw new ControlError('invalid', message, name);
}

const cursorOf = (place: CapturePlace): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function placeOf(cursor: string): CapturePlace {
  try {
    return placeSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new ControlError('invalid', 'Expected cursor to be that of an earlier page', 'cursor');
  }
}

function entryOf(capture: IndexedCapture): CaptureEntry {
  const { url, timestamp, mime, status, digest, file, offset, length } = capture;
  const isRevisit = mime === REVISIT;
  // A revisit without a head of its own stands for a 304.
  const kind = !isRevisit ? 'response' : status === undefined ? 'notModified' : 'identicalPayload';
  return {
    url,
    time: new Date(epochOf(timestamp)).toISOString().replace('.000Z', 'Z'),
    kind,
    httpStatus: kind === 'notModified' ? 304 : status,
    contentType: isRevisit ? undefined : mime,
    digest,
    warcFile: file,
    warcOffset: offset,
    warcLength: length,
  };
}
