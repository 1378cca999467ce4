import { sha1Label } from '../../shared/archive/digest.ts';
import type { UrlRecord } from '../../shared/frontier/url-record.ts';
import { hostKey } from '../../shared/url/host-key.ts';
import type { UrlDetail } from '../export-rows.ts';

/** A record of the ledger in the words of `export` and `url`. */
export function detailOf({ url, depth, via, state, seenAt, attempts, dueAt, result }: UrlRecord): UrlDetail {
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

const isoTime = (time: number): string => new Date(time).toISOString();
