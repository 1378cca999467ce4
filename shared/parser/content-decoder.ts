/**
 * Undoes the Content-Encoding of a body (RFC 9110, section 8.4) as the body arrives, in bounded memory and
 * time.
 */
import { createBoundedOutput } from './bounded-output.ts';
import { CODINGS, type Coding, createCodingDecoder } from './coding-decoder.ts';

export interface ContentDecoderOptions {
  /** The field's value: codings in the order they were applied. */
  readonly contentEncoding: string | undefined;
  /** Decoded bytes beyond this are dropped, and the decoding ends. */
  readonly maxDecodedBytes: number;
  /** Receives the content, piece by piece, and copies what it keeps. Must not throw. */
  onData(chunk: Uint8Array): void;
}

export interface ContentDecoder {
  /** Takes the next piece of the body as received. Never throws. The piece may change afterwards. */
  write(chunk: Uint8Array): void;
  /** Resolves, never rejects, when everything that could be decoded was passed to `onData`. Call it once. */
  end(): Promise<DecodedContent>;
  /**
   * Frees the memory that `onData` received, as far as it was allocated here. Call it after the end, when
   * nothing refers to any of it.
   */
  free(): void;
}

export interface DecodedContent {
  readonly decodedBytes: number;
  /**
   * False if content is missing: the body was cut or is corrupt, too large, or in a coding that is not known.
   */
  readonly isWhole: boolean;
  /**
   * One line for people: what was not as declared. A body that needed no decoding after all is whole even so.
   */
  readonly error?: string;
}

/** Bodies with more codings are not decoded: no server has a reason to apply them. */
const MAX_CODINGS = 3;

/**
 * Knows `gzip`, `deflate` (with zlib's wrapper or, as some servers send it, without), `br`, `zstd`, and lists
 * of them. Without a coding the pieces are passed on at once, uncopied. A body that declares a coding and
 * does not have it is passed on as it is.
 */
export function createContentDecoder(options: ContentDecoderOptions): ContentDecoder {
  const { contentEncoding, maxDecodedBytes, onData } = options;
  const { codings, error } = parseCodings(contentEncoding);
  const content = createBoundedOutput(maxDecodedBytes, onData);

  // The coding applied last is undone first: its decoder writes to the one that undoes the coding before it.
  let write = content.write;
  const decoders: ReturnType<typeof createCodingDecoder>[] = [];
  for (const coding of codings) {
    const decoder = createCodingDecoder(coding, createBoundedOutput(maxDecodedBytes, write));
    decoders.unshift(decoder);
    write = decoder.write;
  }

  return {
    write,
    async end() {
      const outcomes = [];
      for (const decoder of decoders) outcomes.push(await decoder.end());
      const isTooLarge = content.isFull() || outcomes.some((outcome) => outcome.isTooLarge);
      return {
        decodedBytes: content.bytes(),
        isWhole: error === undefined && !isTooLarge && outcomes.every((outcome) => outcome.isWhole),
        error:
          error ??
          (isTooLarge ? `more than ${maxDecodedBytes} decoded bytes` : undefined) ??
          outcomes.find((outcome) => outcome.error !== undefined)?.error,
      };
    },
    free() {
      for (const decoder of decoders) decoder.free();
    },
  };
}

function parseCodings(contentEncoding = ''): { codings: Coding[]; error?: string } {
  const declared = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const codings = declared.map((coding) => CODINGS.get(coding));
  const known = codings.filter((coding) => coding !== undefined);
  if (known.length === codings.length && known.length <= MAX_CODINGS) return { codings: known };
  return { codings: [], error: `cannot undo Content-Encoding: ${contentEncoding.slice(0, 100)}` };
}
