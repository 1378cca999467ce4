/** The target of the fuzzer: how to feed one parser, and the parser's guarantees. */

import type { Vocabulary } from './recipe.ts';

/** In its tokens `{#}` represents a number, and `{u}` a character, that differ in each repetition. */
export interface FuzzTarget extends Vocabulary {
  readonly name: string;
  /** Files of `test/fuzz/seeds/`, small documents that are cut and mixed with the tokens. */
  readonly seeds?: readonly string[];
  /** How much of the time is for this target. Default: 1. */
  readonly share?: number;
  /** False: another target's sweep goes through the same code. Default: true. */
  readonly isSwept?: boolean;
  /**
   * How a document's text becomes bytes; `latin1`: one byte for each character, for binary formats. Default:
   * `utf8`.
   */
  readonly encoding?: 'utf8' | 'latin1';
  /** The largest document that is tried: what the product lets through, and 1 MB at most. */
  readonly maxBytes: number;
  /** CPU in microseconds for each byte of a large document. At most 2, except for compressed bytes. */
  readonly maxUsPerByte: number;
  /** Bytes of memory that the result may hold for each byte of the document. */
  readonly maxHeldPerByte: number;
  /**
   * Makes the parser's input of the document, outside of what is measured: compresses it, say. Default: the
   * document.
   */
  prepare?(document: Buffer): Buffer | Promise<Buffer>;
  /** Parses. The result is held until its memory has been measured. */
  run(input: Buffer): unknown;
  /** Whether `run` documents that it throws this error. Default: it throws none. */
  isDocumented?(error: unknown): boolean;
  /** Checks further properties of a small input: throws if one does not hold. */
  check?(input: Buffer, document: Buffer): void | Promise<void>;
}

/** How many bytes of a document are tried at most. */
export const MB = 1024 * 1024;
