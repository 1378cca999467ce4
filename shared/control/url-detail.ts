import { sha1Label } from '../archive/digest.ts';
import type { UrlRecord, UrlState } from '../frontier/url-record.ts';
import { hostKey } from '../url/host-key.ts';

/** A URL of the crawl. What is not known, or does not apply, is undefined. */
export interface UrlRow {
  readonly url: string;
  readonly host: string;
  /** Hops from a seed. */
  readonly depth?: number;
  /** The page it was found on; none for a seed. */
  readonly via?: string;
  readonly status: UrlState;
  readonly httpStatus?: number;
  readonly contentType?: string;
  /** The payload digest, as in the WARC record: `sha1:` and Base32. */
  readonly digest?: string;
  /** ISO 8601, UTC. */
  readonly fetchedAt?: string;
  /** Where its WARC record stands; offset and length in bytes. */
  readonly warcFile?: string;
  readonly warcOffset?: number;
  readonly warcLength?: number;
}

/** All that is known of it. */
export interface UrlDetail extends UrlRow {
  /** When it was first found. ISO 8601, UTC. */
  readonly seenAt?: string;
  /** Why it was skipped or has failed, for people. */
  readonly cause?: string;
  /** Tries so far. */
  readonly attempts?: number;
  /** When it may next be fetched. ISO 8601, UTC. */
  readonly dueAt?: string;
}

/** A record of the ledger in the words of `export`, `url` and the API. */
export function urlDetail({ url, depth, via, state, seenAt, attempts, dueAt, result }: UrlRecord): UrlDetail {
  return {
    url,
    host: hostKey(url),
    depth,
    via,
    status: state,
    httpStatus: result?.httpStatus,
    contentType: result?.contentType,
    digest: result?.digest && sha1Label(result.digest),
    fetchedAt: result && state !== 'deniedByRobots' ? isoTime(result.fetchedAt) : undefined,
    warcFile: result?.location?.file,
    warcOffset: result?.location?.offset,
    warcLength: result?.location?.length,
    seenAt: isoTime(seenAt),
    cause: result?.cause,
    attempts: attempts > 0 ? attempts : undefined,
    dueAt: dueAt > 0 ? isoTime(dueAt) : undefined,
  };
}

export const isoTime = (time: number): string => new Date(time).toISOString();
