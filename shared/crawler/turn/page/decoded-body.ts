import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { hasCoding } from '../../../core/parser/content-codings.ts';
import { createContentDecoder } from '../../../core/parser/content-decoder.ts';
import { MAX_ROBOTS_BYTES } from '../../../core/robots/parse-robots.ts';
import { headersOf } from '../response-headers.ts';

/** The content of robots.txt, or of a file beside it. */
export interface PolicyBody {
  /** Without its content coding, cut one byte behind `MAX_ROBOTS_BYTES`. */
  readonly bytes: Uint8Array;
  /** Why that is not all of the content, for people. */
  readonly fault?: string;
}

/** Decodes the body of a response. A gzip file whose server does not declare its coding is decoded, too. */
export async function decodedBody(response: FetchedResponse): Promise<PolicyBody> {
  const received: Uint8Array[] = [];
  for await (const piece of response.body.chunks()) received.push(Uint8Array.from(piece));
  const body = Buffer.concat(received);
  const declared = headersOf(response, 'content-encoding').join(', ');
  const pieces: Uint8Array[] = [];
  const decoder = createContentDecoder({
    contentEncoding: declared || (hasCoding('gzip', body) ? 'gzip' : undefined),
    maxDecodedBytes: MAX_ROBOTS_BYTES + 1,
    onData: (piece) => pieces.push(Uint8Array.from(piece)),
  });
  decoder.write(body);
  const { isWhole, isTooLarge, error } = await decoder.end();
  // The end of a body that was cut for its length is not wanted.
  const isAll = isWhole || isTooLarge || response.truncated === 'length';
  return { bytes: Buffer.concat(pieces), ...(!isAll && { fault: error ?? 'it is not whole' }) };
}
