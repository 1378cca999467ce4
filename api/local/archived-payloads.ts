import { PayloadReader, type PayloadSource } from '../../shared/archive/payload-reader.ts';
import type { RecordLocation } from '../../shared/archive/record-location.ts';
import { decodeBody } from '../../shared/parser/decode-body.ts';
import { codingOf, MAX_BYTES } from '../stored-record.ts';

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
export function createPayloads(archive: PayloadSource) {
  const payloads = new PayloadReader(archive);
  return async (location: RecordLocation): Promise<ArchivedPayload> => {
    const { response, payload } = await payloads.read(location, MAX_BYTES);
    const { headers } = payload;
    return {
      status: response.httpStatus,
      headers,
      body: decodeBody(payload.body, codingOf(headers), MAX_BYTES),
    };
  };
}
