import { sha1Label } from '../../shared/archive/digest.ts';
import type { RecordPlace, StoredCrawl } from '../stored-crawl.ts';
import { findBodies } from './process/archived-pages.ts';

/** A response of the archive, its body whole and decoded. */
export interface ArchivedPayload {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Returns a function that reads the response at a place; for a revisit the body that it refers to. It throws
 * for a record that is damaged, larger than 64 MiB, or whose body is in another crawl's archive.
 */
export async function createPayloads(archive: Pick<StoredCrawl, 'captures' | 'readRecord'>) {
  const bodyPlaceOf = await findBodies(archive);
  return async ({ file, offset }: RecordPlace, sha1: Uint8Array | undefined): Promise<ArchivedPayload> => {
    const record = await archive.readRecord({ file, offset });
    const place = bodyPlaceOf({ file, offset }, sha1 && sha1Label(sha1));
    if (!record.http) throw new Error('it holds no HTTP response');
    if (record.type === 'revisit' && !place) throw new Error('its body is in the archive of another crawl');
    const payload = place ? (await archive.readRecord(place)).http : record.http;
    if (!payload) throw new Error('it holds no HTTP response');
    const { status, headers } = record.http;
    return { status, headers: place ? payload.headers : headers, body: payload.decode() };
  };
}
