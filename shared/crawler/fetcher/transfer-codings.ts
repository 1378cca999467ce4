import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import type { FetchRequest } from '../../core/outcome/fetch-request.ts';
import { declaredCodings } from '../../core/parser/content-codings.ts';
import { type ContentDecoder, createContentDecoder } from '../../core/parser/content-decoder.ts';
import { described } from './failure.ts';
import { type BodySpace, type BodySpool, createBodySpool } from './spooled-body.ts';

type Header = readonly [name: string, value: string];

/**
 * The transfer codings of a body besides chunks, as `Transfer-Encoding: gzip, chunked` names them (RFC 9112, section 7).
 * Strand asks for none. Some servers send them anyway, and curl undoes them. Empty if there are none that are known.
 */
function transferCodings(headers: readonly Header[]): string {
  const names = headers
    .filter(([name]) => name.toLowerCase() === 'transfer-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .filter((name) => name.trim() !== 'chunked')
    .join(',');
  const { codings, unknown } = declaredCodings(names);
  return unknown === undefined && codings.length > 0 ? names : '';
}

interface DecodedBody {
  readonly decoder: ContentDecoder;
  readonly spool: BodySpool;
  /** Our own failure: the body cannot be kept. */
  failure?: unknown;
}

/**
 * Makes an exchange by `send`, and undoes the transfer codings of the response's body as it arrives: like chunks, they do
 * not belong to the content, which has at most `maxBytes`.
 */
export async function withoutTransferCodings(
  request: FetchRequest,
  { bodies, maxBytes }: { readonly bodies: BodySpace; readonly maxBytes: number },
  send: (request: FetchRequest) => Promise<FetchOutcome>,
): Promise<FetchOutcome> {
  let decoded: DecodedBody | undefined;
  const outcome = await send({
    ...request,
    onHead: (head) => {
      const sink = request.onHead?.(head);
      const codings = transferCodings(head.headers);
      if (codings === '') return sink;
      decoded = decodeTo(createBodySpool(bodies), codings, maxBytes, sink);
      return decoded.decoder.write;
    },
  });
  return decoded === undefined ? outcome : ofDecoded(outcome, decoded);
}

function decodeTo(
  spool: BodySpool,
  contentEncoding: string,
  maxDecodedBytes: number,
  sink: ((piece: Uint8Array) => void) | undefined,
): DecodedBody {
  let isRead = sink !== undefined;
  const decoded: DecodedBody = {
    spool,
    decoder: createContentDecoder({
      contentEncoding,
      maxDecodedBytes,
      onData(chunk) {
        if (decoded.failure !== undefined) return;
        const piece = Uint8Array.from(chunk);
        try {
          if (isRead) sink?.(piece);
        } catch {
          isRead = false;
        }
        try {
          spool.append(piece);
        } catch (error) {
          decoded.failure = error;
        }
      },
    }),
  };
  return decoded;
}

async function ofDecoded(outcome: FetchOutcome, decoded: DecodedBody): Promise<FetchOutcome> {
  const { decoder, spool } = decoded;
  const { isWhole, isTooLarge, error } = await decoder.end();
  decoder.free();
  if (outcome.status === 'response') await outcome.body.dispose();
  if (outcome.status !== 'response' || decoded.failure !== undefined) spool.discard();
  if (decoded.failure !== undefined) throw decoded.failure;
  if (outcome.status !== 'response') return outcome;
  const content = { ...outcome, body: spool.finish() };
  if (isTooLarge) return { ...content, truncated: 'length' };
  if (isWhole || outcome.truncated !== undefined) return content;
  const message = `the body's transfer coding cannot be undone: ${error}`;
  return { ...content, truncated: 'disconnect', bodyFailure: described('malformedResponse', message) };
}
