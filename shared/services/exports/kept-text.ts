import type { ExportContext, Pieces } from './export-context.ts';
import { keptPiece } from './sliced-file.ts';

/** A host can have millions of lines, and one string holds half a GB at most. */
const PIECE_CHARS = 16 * 1024 * 1024;

/** Text that later slices read: kept piece by piece, in any amount. */
export class KeptText {
  readonly #context: ExportContext;
  readonly #name: string;
  readonly #pack: (text: string) => Uint8Array;
  readonly #pieces: Pieces[number][];
  #texts: string[] = [];
  #chars = 0;

  /**
   * `before`: the pieces of earlier slices. Names of objects follow from `name` and their number, so a slice that is
   * repeated replaces its own. `pack`: makes the bytes of a piece. Default: UTF-8.
   */
  constructor(
    context: ExportContext,
    name: string,
    before: Pieces = [],
    pack: (text: string) => Uint8Array = Buffer.from,
  ) {
    this.#context = context;
    this.#name = name;
    this.#pack = pack;
    this.#pieces = [...before];
  }

  /** Never cut within the text. Calls must not overlap. */
  async add(text: string): Promise<void> {
    this.#texts.push(text);
    this.#chars += text.length;
    if (this.#chars >= (this.#context.maxFileBytes ?? PIECE_CHARS)) await this.#store();
  }

  /** Returns all pieces. Nothing may be added after it. */
  async end(): Promise<Pieces> {
    if (this.#chars > 0) await this.#store();
    return this.#pieces;
  }

  async #store(): Promise<void> {
    const body = this.#pack(this.#texts.join(''));
    this.#texts = [];
    this.#chars = 0;
    this.#pieces.push(...(await keptPiece(this.#context, `${this.#name}-${this.#pieces.length}`, body)));
  }
}
