/** The first bytes of a document, which show its type. */
export interface FirstBytes {
  /**
   * All so far, once they are enough. Until then they are kept, copied, as what is given may change
   * afterwards.
   */
  add(bytes: Uint8Array): Buffer | undefined;
  /** All so far. */
  all(): Buffer;
}

export function createFirstBytes(enough: number): FirstBytes {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    add(bytes) {
      length += bytes.length;
      if (length < enough) {
        pieces.push(new Uint8Array(bytes));
        return undefined;
      }
      if (pieces.length > 0) return Buffer.concat([...pieces, bytes]);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    },
    all: () => Buffer.concat(pieces),
  };
}
