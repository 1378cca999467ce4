import type { FetchedResponse } from '../fetcher/outcome/fetch-outcome.ts';
import { createContentDecoder } from '../parser/content-decoder.ts';
import { MAX_ROBOTS_BYTES } from '../robots/parse-robots.ts';
import { headersOf } from './response-headers.ts';

/** Returns a response's body without its content coding, cut one byte behind `MAX_ROBOTS_BYTES`. */
export async function decodedBody(response: FetchedResponse): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  const decoder = createContentDecoder({
    contentEncoding: headersOf(response, 'content-encoding').join(', ') || undefined,
    maxDecodedBytes: MAX_ROBOTS_BYTES + 1,
    onData: (piece) => pieces.push(Uint8Array.from(piece)),
  });
  for await (const piece of response.body.chunks()) decoder.write(piece);
  await decoder.end();
  return Buffer.concat(pieces);
}
