import type { FetchedResponse } from '../../core/outcome/fetch-outcome.ts';
import { createContentDecoder } from '../../core/parser/content-decoder.ts';

/** Larger bodies count as broken off. */
const MAX_DECODED_BYTES = 128 * 1024 * 1024;

/**
 * Returns a response whose body broke off as a whole one if its content coding has come to its end, which only the last
 * byte of a body can show. Some servers send pages in gzip with the length before compression: for RFC 9112 such a body
 * is incomplete (section 6.3), and browsers show it.
 */
export async function wholeIfCoded(response: FetchedResponse): Promise<FetchedResponse> {
  const codings = response.headers.filter(([name]) => name.toLowerCase() === 'content-encoding');
  if (codings.length === 0 || response.body.size === 0) return response;
  const decoder = createContentDecoder({
    contentEncoding: codings.map(([, value]) => value).join(', '),
    maxDecodedBytes: MAX_DECODED_BYTES,
    onData: () => {},
  });
  for await (const piece of response.body.chunks()) decoder.write(piece);
  const { isWhole, error, decodedBytes } = await decoder.end();
  decoder.free();
  if (!isWhole || error !== undefined || decodedBytes === 0) return response;
  const { truncated: _, bodyFailure: __, ...whole } = response;
  return whole;
}
