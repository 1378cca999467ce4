/** Captures made by hand, for the tests of this room. */
import { createHash, randomUUID } from 'node:crypto';
import type { RecordOptions } from '../../../shared/core/archive/capture.ts';
import { recordId } from '../../../shared/core/archive/warc-record.ts';
import type { Body } from '../../../shared/core/outcome/body.ts';
import type { FetchedResponse } from '../../../shared/core/outcome/fetch-outcome.ts';

export const T0 = Date.UTC(2026, 0, 2, 3, 4, 5, 67);

export function bodyOf(bytes: Uint8Array, chunkBytes = 64 * 1024): Body {
  return {
    size: bytes.length,
    sha1: createHash('sha1').update(bytes).digest(),
    bytes: async () => bytes,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
    dispose: async () => {},
  };
}

export function captureOf(
  parts: Partial<Omit<FetchedResponse, 'body'>> & { body?: Uint8Array | Body },
): FetchedResponse {
  const { body = new Uint8Array(0), ...rest } = parts;
  return {
    status: 'response',
    url: 'http://example.test/',
    startedAt: T0,
    endedAt: T0 + 100,
    httpStatus: 200,
    statusText: 'OK',
    headers: [],
    requestHead: Buffer.from('GET / HTTP/1.1\r\nHost: example.test\r\n\r\n'),
    ipAddress: '127.0.0.1',
    ...rest,
    body: body instanceof Uint8Array ? bodyOf(body) : body,
  };
}

/** Makes a WARC-Record-ID that no other record has. */
export const newId = (): string => recordId(randomUUID());
export const RECORDS: RecordOptions = { newId };

export const RESPONSE_ID = '<urn:uuid:00000000-0000-4000-8000-000000000001>';
export const REQUEST_ID = '<urn:uuid:00000000-0000-4000-8000-000000000002>';

/** {@link RESPONSE_ID}, then {@link REQUEST_ID}. */
export function fixedIds(): () => string {
  const ids = [RESPONSE_ID, REQUEST_ID];
  return () => ids.shift()!;
}

/** The member's bytes in one piece. */
export async function joined(member: readonly Uint8Array[] | AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of member) pieces.push(piece);
  return Buffer.concat(pieces);
}
