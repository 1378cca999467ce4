/**
 * Undoes the Content-Encoding of a body (RFC 9110, section 8.4) as the body arrives, in bounded memory and
 * time.
 */
import { createBoundedOutput } from './bounded-output.ts';
import { type CodingOutcome, createCodingDecoder } from './coding-decoder.ts';
import { declaredCodings, isItself, SHOWN_BYTES } from './content-codings.ts';
import { createFirstBytes } from './first-bytes.ts';

export interface ContentDecoderOptions {
  /** The field's value: codings in the order they were applied. */
  readonly contentEncoding: string | undefined;
  /** Decoded bytes beyond this are dropped, and the decoding ends. */
  readonly maxDecodedBytes: number;
  /**
   * The pieces of a body up to this size do not change until the end, and are not copied. Default: 0.
   */
  readonly steadyBytes?: number;
  /** Receives the content, piece by piece, and copies what it keeps. Must not throw. */
  onData(chunk: Uint8Array): void;
}

export interface ContentDecoder {
  /** Takes the next piece of the body as received. Never throws. The piece may change afterwards, but for `steadyBytes`. */
  write(chunk: Uint8Array): void;
  /**
   * Everything that could be decoded was passed to `onData` when it returns, or when its promise resolves. It never rejects.
   * Call it once.
   */
  end(): DecodedContent | Promise<DecodedContent>;
  /**
   * Frees the memory that `onData` received, as far as it was allocated here. Call it after the end, when
   * nothing refers to any of it.
   */
  free(): void;
}

export interface DecodedContent {
  readonly decodedBytes: number;
  /**
   * False if content is missing: the body was cut or is corrupt, too large, or in a coding that is not known. A gzip body
   * whose sum is wrong is whole, as for browsers, and so is one that its server flushed and did not close.
   */
  readonly isWhole: boolean;
  /** There was more than `maxDecodedBytes`. */
  readonly isTooLarge: boolean;
  /** Nothing of the content was decoded: any bytes passed on are coded bytes. */
  readonly isUndecoded: boolean;
  /**
   * A line for people: how the body differs from its declaration. A body that needed no decoding after all is whole
   * even so.
   */
  readonly error?: string;
}

/**
 * Knows `gzip`, `deflate` (with zlib's wrapper or, as some servers send it, without), `br`, `zstd`, and lists of them.
 * Without a coding the pieces are passed on at once, uncopied. A body that declares a coding and does not have it is
 * passed on as it is. Names that are not codings are skipped: servers send `utf-8` or `aws-chunked`.
 */
export function createContentDecoder(options: ContentDecoderOptions): ContentDecoder {
  const { contentEncoding, maxDecodedBytes, onData } = options;
  const { codings, unknown } = declaredCodings(contentEncoding);
  const watched = unknown === undefined ? { onData, isShown: () => true } : watchStart(onData);
  const content = createBoundedOutput(maxDecodedBytes, watched.onData);

  // The coding applied last is undone first: its decoder writes to the one that undoes the coding before it.
  let write = content.write;
  const decoders: ReturnType<typeof createCodingDecoder>[] = [];
  for (const coding of codings.toReversed()) {
    const isFirst = decoders.length === codings.length - 1;
    const output = createBoundedOutput(maxDecodedBytes, write);
    const decoder = createCodingDecoder(coding, output, isFirst ? options.steadyBytes : 0);
    decoders.unshift(decoder);
    write = decoder.write;
  }

  const endFrom = (from: number, outcomes: CodingOutcome[]): DecodedContent | Promise<DecodedContent> => {
    for (let i = from; i < decoders.length; i++) {
      const outcome = decoders[i]!.end();
      if (outcome instanceof Promise) return outcome.then((later) => endFrom(i + 1, [...outcomes, later]));
      outcomes.push(outcome);
    }
    return contentOf(outcomes);
  };
  const contentOf = (outcomes: readonly CodingOutcome[]): DecodedContent => {
    const isTooLarge = content.isFull() || outcomes.some((outcome) => outcome.isTooLarge);
    const decodedBytes = content.bytes();
    const isKnown = watched.isShown();
    const isWhole = isKnown && outcomes.every((outcome) => outcome.isWhole);
    return {
      decodedBytes,
      isWhole: isWhole && !isTooLarge,
      isTooLarge,
      isUndecoded:
        !isWhole && (!isKnown || decodedBytes === 0 || outcomes.some((outcome) => outcome.isUndecoded)),
      error:
        unknown ??
        (isTooLarge ? `more than ${maxDecodedBytes} decoded bytes` : undefined) ??
        outcomes.find((outcome) => outcome.error !== undefined)?.error,
    };
  };

  return {
    write,
    end: () => endFrom(0, []),
    free() {
      for (const decoder of decoders) decoder.free();
    },
  };
}

/** `isShown`: the first bytes are those of a text, or of a type that they name. */
function watchStart(onData: (chunk: Uint8Array) => void) {
  const start = createFirstBytes(SHOWN_BYTES);
  let found: boolean | undefined;
  return {
    onData(chunk: Uint8Array) {
      const first = found === undefined ? start.add(chunk) : undefined;
      if (first !== undefined) found = isItself(first);
      onData(chunk);
    },
    isShown: () => found ?? isItself(start.all()),
  };
}
