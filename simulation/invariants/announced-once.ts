import type { RecordLocation } from '../../shared/core/archive/record-location.ts';
import { lazy } from '../../shared/core/base/lazy.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { hostKey } from '../../shared/core/url/host-key.ts';
import { pageUrl } from '../../shared/core/url/request-url.ts';
import type { Violation, WebRequest } from '../worlds/spec.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { askedUrl } from './facts.ts';
import { createFindings, type Findings, since } from './findings.ts';
import { type IndexLine, readIndexes } from './index-lines.ts';
import { originalOf, readWarcResponse, responsesFor, toHex, type WarcResponse } from './warc.ts';

/** States that only a final response makes; `failed` may come from one. */
const OF_RESPONSES = new Set(['fetched', 'redirect', 'gone']);

/**
 * Each URL whose state comes from a response announces one WARC record, which no other URL announces; its
 * location resolves to one gzip member of one record, which holds what the web has served for that URL; and
 * where its file was joined, the index beside it has one line for it.
 */
export function announcedOnce({ crawls, web }: Pick<Facts, 'crawls' | 'web'>): readonly Violation[] {
  const findings = createFindings('announcedOnce');
  const served = Map.groupBy(web.log, ({ url }) => url);
  for (const crawl of crawls) {
    const announced = new Map<string, string>();
    const indexes = readIndexes(findings, crawl);
    const responses = lazy(() => responsesFor(crawl, crawls));
    for (const record of crawl.known.values()) {
      const { url, state, result } = record;
      const where = { host: hostKey(url), at: result?.fetchedAt };
      const location = result?.location;
      if (!location) {
        if (OF_RESPONSES.has(state))
          findings.add(`${crawl.id}: ${url} is ${state}, and announces no record`, where);
        continue;
      }
      // One that waits to be fetched once more, as it is no copy after all, was fetched.
      const isFreed = state === 'waiting' && result?.duplicateOf !== undefined;
      if (!OF_RESPONSES.has(state) && state !== 'failed' && !isFreed)
        findings.add(`${crawl.id}: ${url} is ${state}, and announces the record at ${text(location)}`, where);
      const key = `${location.file} ${location.offset}`;
      const other = announced.get(key);
      if (other !== undefined)
        findings.add(`${crawl.id}: ${url} and ${other} both announce the record at ${text(location)}`, where);
      announced.set(key, url);
      checkRecord(
        findings,
        crawl,
        { record, location, served: served.get(askedUrl(url)) ?? [], responses },
        indexes,
      );
    }
  }
  return findings.list;
}

type Indexes = ReadonlyMap<string, ReadonlyMap<number, readonly IndexLine[]>>;

interface Announced {
  readonly record: UrlRecord;
  readonly location: RecordLocation;
  readonly served: readonly WebRequest[];
  /** All responses of the archive. */
  readonly responses: () => ReadonlySet<string>;
}

function checkRecord(
  findings: Findings,
  crawl: CrawlFacts,
  { record, location, served, responses }: Announced,
  indexes: Indexes,
): void {
  const { url, result } = record;
  const found = (problem: string) =>
    findings.add(
      `${crawl.id}: ${url} (fetched ${since(result?.fetchedAt ?? 0)}) announces the record at ${text(location)}: ${problem}`,
      { host: hostKey(url), at: result?.fetchedAt },
    );
  try {
    const place = resolve(crawl, location);
    const response = readWarcResponse(bytesAt(crawl, place));
    for (const problem of problemsOf(record, response, served)) found(problem);
    if (response.isRevisit && !responses().has(originalOf(response.fields)))
      found(`it refers to ${originalOf(response.fields)}, which is not in the archive`);
    const isJoined = place.file !== location.file;
    const problem = isJoined ? indexProblem(place, url, response.httpStatus, indexes) : undefined;
    if (problem !== undefined) found(problem);
  } catch (error) {
    found((error as Error).message);
  }
}

function* problemsOf(
  { url, result }: UrlRecord,
  { fields, httpStatus, sha1 }: WarcResponse,
  served: readonly WebRequest[],
): Generator<string> {
  const target = fields.get('warc-target-uri');
  if (target !== pageUrl(url)) yield `it is of ${target}`;
  if (httpStatus !== result?.httpStatus)
    yield `its status is ${httpStatus}, the ledger says ${result?.httpStatus}`;
  const digest = toHex(result?.digest ?? new Uint8Array());
  if (sha1 !== digest) yield `its body's SHA-1 is ${sha1}, the ledger says ${digest}`;
  const isTruncated = fields.has('warc-truncated');
  const ofStatus = served.filter((request) => request.httpStatus === httpStatus);
  if (ofStatus.length === 0) yield `the web never answered ${url} with ${httpStatus}`;
  else if (!isTruncated && !ofStatus.some((request) => request.sha1 === sha1 && !request.isCut))
    yield `the web never served it whole with SHA-1 ${sha1}`;
}

function indexProblem(
  { file, offset, length }: RecordLocation,
  url: string,
  httpStatus: number,
  indexes: Indexes,
): string | undefined {
  const lines = indexes.get(file)?.get(offset) ?? [];
  const [line] = lines;
  if (lines.length !== 1 || !line)
    return `the index of ${file} has ${lines.length} lines for offset ${offset}, expected 1`;
  const isTrue =
    line.url === pageUrl(url) && line.status === String(httpStatus) && line.length === String(length);
  return isTrue ? undefined : `the index of ${file} says ${JSON.stringify(line)}`;
}

/** Throws an error that says what is missing. */
function bytesAt({ files }: CrawlFacts, { file, offset, length }: RecordLocation): Uint8Array {
  const bytes = files.get(file);
  if (!bytes) throw new Error(`there is no object ${file}`);
  if (offset + length > bytes.length) throw new Error(`${file} has ${bytes.length} bytes`);
  return bytes.subarray(offset, offset + length);
}

function resolve({ joined }: CrawlFacts, { file, offset, length }: RecordLocation): RecordLocation {
  const source = joined.get(file);
  if (!source) return { file, offset, length };
  if (offset + length > source.bytes) throw new Error(`${file} was joined with ${source.bytes} bytes`);
  return { file: source.file, offset: source.offset + offset, length };
}

const text = ({ file, offset, length }: RecordLocation): string => `${file} ${offset}+${length}`;
