/** Looks for signs of a refusal in a response: in its head, and in the start of its body where that may have one. */
import type { RefusalCause } from '../../../core/causes/cause.ts';
import type { FetchedResponse } from '../../../core/outcome/fetch-outcome.ts';
import { createContentDecoder } from '../../../core/parser/content-decoder.ts';
import { createDocumentParser, type DocumentFacts } from '../../../core/parser/document.ts';
import { MAX_PRICE_BYTES, priceInTerms } from '../../../core/refusal/price.ts';
import {
  challengeInBody,
  MAX_CHALLENGE_CHARS,
  MAX_SIGN_BYTES,
  mayHaveSigns,
  refusalInHead,
} from '../../../core/refusal/refusal-signs.ts';
import { headersOf } from '../response-headers.ts';

/** A page with more links is not a challenge. */
const MAX_LINKS = 10;

/** Returns the refusal that a response shows by its head, or with an error status by its body. */
export async function refusalIn(response: FetchedResponse): Promise<RefusalCause | undefined> {
  const { httpStatus } = response;
  const cause = refusalInHead(response);
  if (cause?.code === 'priced' && cause.price === undefined) {
    const price = priceInTerms(Buffer.from(await startOf(response, MAX_PRICE_BYTES)).toString());
    return price === undefined ? cause : { ...cause, price };
  }
  return cause ?? (mayHaveSigns(httpStatus) ? challengeIn(response) : undefined);
}

/** Whether the head of a response shows a refusal, or its body may show one by the status. */
export const mayRefuse = (response: FetchedResponse): boolean =>
  mayHaveSigns(response.httpStatus) || refusalInHead(response) !== undefined;

/** Whether a page may be a challenge, though its status and head do not say so: only short pages are. */
export const mayBeChallenge = ({ type, mimeType, links, signs, decodedBytes }: DocumentFacts): boolean =>
  // A sitemap that is a page is none.
  (type === 'html' || mimeType === 'text/html') &&
  links.length <= MAX_LINKS &&
  decodedBytes <= MAX_SIGN_BYTES &&
  (signs?.textChars ?? 0) < MAX_CHALLENGE_CHARS;

/**
 * Returns the refusal that the response to a request for robots.txt shows. A plain 402 or 403 is none: by RFC 9309 there is
 * no robots.txt then. `content`: decoded, of a 2xx response.
 */
export async function refusalInFile(
  response: FetchedResponse,
  content: Uint8Array | undefined,
): Promise<RefusalCause | undefined> {
  const cause = await refusalIn(response);
  if (cause !== undefined) return cause.code === 'priced' && cause.price === undefined ? undefined : cause;
  if (content === undefined || !isMarkup(content)) return undefined;
  return challengeInBody(response.httpStatus, content, () => textCharsOf(response, content));
}

const isMarkup = (content: Uint8Array): boolean =>
  Buffer.from(content.subarray(0, MAX_BLANKS)).toString('latin1').trimStart().startsWith('<');

/** Before the first tag of a page. */
const MAX_BLANKS = 200;

/** Returns the challenge that the body of a response shows. `content`: decoded, if it is at hand. */
export async function challengeIn(
  response: FetchedResponse,
  content?: Uint8Array,
): Promise<RefusalCause | undefined> {
  const start = content ?? (await startOf(response, MAX_SIGN_BYTES));
  return challengeInBody(response.httpStatus, start, () => textCharsOf(response, start));
}

/** Returns the first bytes of the body, decoded. */
async function startOf(response: FetchedResponse, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const decoder = createContentDecoder({
    contentEncoding: headersOf(response, 'content-encoding').join(', ') || undefined,
    maxDecodedBytes: maxBytes,
    onData(piece) {
      pieces.push(Uint8Array.from(piece));
      length += piece.length;
    },
  });
  for await (const chunk of response.body.chunks()) {
    decoder.write(chunk);
    if (length >= maxBytes) break;
  }
  await decoder.end();
  decoder.free();
  return Buffer.concat(pieces);
}

async function textCharsOf(response: FetchedResponse, start: Uint8Array): Promise<number> {
  const parser = createDocumentParser({
    url: response.url,
    headers: response.headers.filter(([name]) => name.toLowerCase() !== 'content-encoding'),
    maxDecodedBytes: MAX_SIGN_BYTES,
    maxLinks: MAX_LINKS,
    resolve: () => undefined,
    wantsSigns: true,
  });
  parser.write(start);
  const { signs } = await parser.end();
  return signs?.textChars ?? 0;
}
