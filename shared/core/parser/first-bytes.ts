/** The first bytes of a document, which show its type. */
export interface FirstBytes {
  /**
   * All bytes so far, once they are enough. Until then they are kept as copies, as the caller may reuse its buffer.
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
