/** Undoes one content coding: small bodies in one synchronous call, large ones by a stream. */
import { freeMemory } from '../base/free-memory.ts';
import type { BoundedOutput } from './bounded-output.ts';
import { type Coding, hasCoding, isItself, NOT_CODED, salvagedPiece, UNCLOSED } from './content-codings.ts';
import { decodeAtOnce } from './decode-at-once.ts';
import { KeptPieces } from './kept-pieces.ts';
import { MemberDecoder } from './member-decoder.ts';
import { withGunzipped } from './reused-inflate.ts';

/**
 * Bodies up to this size are kept and decoded by one synchronous call, which for 9 KB of gzip costs a
 * fraction of what a stream does (below 0.1 ms). Most pages are that small.
 */
const MAX_SYNC_BYTES = 256 * 1024;
/**
 * A synchronous call that would give more is given up for a stream: it would block other turns for too long.
 */
const MAX_SYNC_OUTPUT = 8 * 1024 * 1024;

type Fault = string | undefined;

export interface CodingOutcome {
  readonly isWhole: boolean;
  readonly isTooLarge: boolean;
  /** The body is neither in the coding nor of a type that its first bytes show. */
  readonly isUndecoded: boolean;
  readonly error?: string;
}

/**
 * `end` resolves, never rejects. What is written may change afterwards, but for a body up to `steadyBytes`; after the
 * output is full it is ignored.
 */
export function createCodingDecoder(coding: Coding, output: BoundedOutput, steadyBytes = 0) {
  const kept = new KeptPieces(steadyBytes);
  /** The output, if it came in one piece. */
  let whole: Uint8Array | undefined;
  /** The receiver of the pieces once they are no longer kept. */
  let sink: { write(chunk: Uint8Array): void; end(): Promise<string | undefined> } | undefined;
  /** The body is of a type that shows that it is in no coding. */
  let isShown = false;

  const keep = (chunk: Uint8Array) => {
    kept.add(chunk);
    if (kept.length <= MAX_SYNC_BYTES) return;
    const start = kept.take().bytes;
    sink = hasCoding(coding, start) ? new MemberDecoder(coding, start, output) : asItIs(start);
    sink.write(start);
  };
  const asItIs = (start: Uint8Array) => {
    isShown = isItself(start);
    return { write: output.write, end: async () => NOT_CODED };
  };

  const endKept = (): Fault | Promise<Fault> => {
    const { bytes: body, free } = kept.take();
    if (body.length === 0) return undefined;
    if (coding === 'gzip' && withGunzipped(body, output.room(), output.write)) {
      free();
      return undefined;
    }
    const decoded = decodeAtOnce(coding, body, Math.max(1, Math.min(output.room(), MAX_SYNC_OUTPUT)));
    if (decoded !== undefined) {
      free();
      whole = decoded;
      output.write(decoded);
      return undefined;
    }
    if (!hasCoding(coding, body)) {
      const { write, end } = asItIs(body);
      write(body);
      return end();
    }
    const decoder = new MemberDecoder(coding, body, output);
    const step = salvagedPiece(body.length);
    for (let at = 0; at < body.length; at += step) decoder.write(body.subarray(at, at + step));
    return decoder.end();
  };

  const outcomeOf = (error: Fault): CodingOutcome => ({
    isWhole: error === undefined || error === UNCLOSED || (error === NOT_CODED && isShown),
    isTooLarge: output.isFull(),
    isUndecoded: error === NOT_CODED && !isShown,
    error: error && `${coding}: ${error}`,
  });

  return {
    write(chunk: Uint8Array): void {
      if (sink === undefined) keep(chunk);
      else sink.write(new Uint8Array(chunk));
    },
    /** A small sound body needs no promise. */
    end(): CodingOutcome | Promise<CodingOutcome> {
      const error = sink === undefined ? endKept() : sink.end();
      return error instanceof Promise ? error.then(outcomeOf) : outcomeOf(error);
    },
    /** Call it after the end, when the output is no longer read. */
    free(): void {
      if (whole !== undefined) freeMemory(whole);
      whole = undefined;
    },
  };
}
