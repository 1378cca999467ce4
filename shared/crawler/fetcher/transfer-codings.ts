import type { FetchOutcome } from '../../core/outcome/fetch-outcome.ts';
import { fieldValues } from '../../core/outcome/response-head.ts';
import { declaredCodings } from '../../core/parser/content-codings.ts';
import { type ContentDecoder, createContentDecoder } from '../../core/parser/content-decoder.ts';
import { described } from './failure.ts';
import { type BodySpace, type BodySpool, createBodySpool } from './spooled-body.ts';

type Header = readonly [name: string, value: string];
type Sink = (piece: Uint8Array) => void;

export interface DecodedBounds {
  readonly bodies: BodySpace;
  readonly maxBytes: number;
}

/**
 * The transfer codings of a body besides chunks, as `Transfer-Encoding: gzip, chunked` names them (RFC 9112, section 7).
 * Strand asks for none. Some servers send them anyway, and curl undoes them. Empty if there are none that are known.
 */
function transferCodings(headers: readonly Header[]): string {
  const values = fieldValues(headers, 'transfer-encoding');
  if (values.length === 0) return '';
  const names = values
    .flatMap((value) => value.toLowerCase().split(','))
    .filter((name) => name.trim() !== 'chunked')
    .join(',');
  const { codings, unknown } = declaredCodings(names);
  return unknown === undefined && codings.length > 0 ? names : '';
}

/** The content of a body while its transfer codings are undone. */
export class DecodedBody {
  readonly #spool: BodySpool;
  readonly #decoder: ContentDecoder;
  #sink: Sink | undefined;
  /** Our own failure: the body cannot be kept. */
  #failure: unknown;

  constructor(codings: string, { bodies, maxBytes }: DecodedBounds, sink: Sink | undefined) {
    this.#spool = createBodySpool(bodies);
    this.#sink = sink;
    this.#decoder = createContentDecoder({
      contentEncoding: codings,
      maxDecodedBytes: maxBytes,
      onData: (chunk) => this.#keep(Uint8Array.from(chunk)),
    });
  }

  /** Takes the next piece of the body as it was sent. */
  readonly write = (piece: Uint8Array): void => this.#decoder.write(piece);

  #keep(piece: Uint8Array): void {
    if (this.#failure !== undefined) return;
    try {
      this.#sink?.(piece);
    } catch {
      this.#sink = undefined;
    }
    try {
      this.#spool.append(piece);
    } catch (error) {
      this.#failure = error;
    }
  }

  discard(): void {
    this.#decoder.free();
    this.#spool.discard();
  }

  /** The outcome with the content as its body. Rejects if that could not be kept. */
  async contentOf(outcome: FetchOutcome): Promise<FetchOutcome> {
    const { isWhole, isTooLarge, error } = await this.#decoder.end();
    this.#decoder.free();
    if (outcome.status === 'response') await outcome.body.dispose();
    if (outcome.status !== 'response' || this.#failure !== undefined) this.#spool.discard();
    if (this.#failure !== undefined) throw this.#failure;
    if (outcome.status !== 'response') return outcome;
    const content = { ...outcome, body: this.#spool.finish() };
    if (isTooLarge) return { ...content, truncated: 'length' };
    if (isWhole || outcome.truncated !== undefined) return content;
    const message = `the body's transfer coding cannot be undone: ${error}`;
    return { ...content, truncated: 'disconnect', bodyFailure: described('malformedResponse', message) };
  }
}

/**
 * Undoes the transfer codings of a response's body as it arrives: like chunks, they do not belong to the content, which
 * has at most `maxBytes`. Undefined if it has none.
 */
export function undoTransferCodings(
  headers: readonly Header[],
  bounds: DecodedBounds,
  sink: Sink | undefined,
): DecodedBody | undefined {
  const codings = transferCodings(headers);
  return codings === '' ? undefined : new DecodedBody(codings, bounds, sink);
}
