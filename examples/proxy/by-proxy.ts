import { type FetchMiddleware, failureOf, responseOf } from 'strand-crawler';
import { type Dispatcher, request as send } from 'undici';

export interface ByProxyOptions {
  /** A proxy's agent: `new ProxyAgent('http://user:password@proxy.example:3128')`. */
  readonly agent: Dispatcher;
  /** The user agent of the crawler's own fetcher. */
  readonly userAgent: string;
}

/**
 * A middleware that sends every request by a proxy. The crawler's own fetcher, its DNS and its address guard
 * have no part.
 */
export function byProxy({ agent, userAgent }: ByProxyOptions): FetchMiddleware {
  return async (request) => {
    const startedAt = Date.now();
    try {
      const response = await send(request.url, {
        dispatcher: agent,
        headers: { 'User-Agent': userAgent, 'Accept-Encoding': 'gzip, br, zstd', ...request.headers },
        signal: request.signal,
      });
      return responseOf(request, {
        startedAt,
        httpStatus: response.statusCode,
        statusText: response.statusText,
        headers: response.headers,
        body: await bytesOf(response.body, request.maxBodyBytes),
      });
    } catch (error) {
      return failureOf(request, { startedAt, reason: 'connect', message: `by the proxy: ${error}` });
    }
  };
}

/**
 * One byte more than is wanted at most: so `responseOf` knows that the body is cut. Leaving the loop ends the
 * exchange.
 */
async function bytesOf(body: AsyncIterable<Uint8Array>, maxBytes = 16 * 1024 * 1024): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes + 1);
}
