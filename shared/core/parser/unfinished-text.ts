/** Returns how much of the text it is done with; `isLast`: no more text follows. */
export type Scan = (text: string, isLast: boolean) => number;

export interface UnfinishedText {
  write(text: string): void;
  end(): void;
}

/**
 * Has text scanned as it arrives. What `scan` leaves (it ends in the middle of a tag, a comment, a text) is
 * kept, and looked at again only once twice as much is there: so the work is linear in the text's length.
 */
export function createUnfinishedText(scan: Scan): UnfinishedText {
  let pieces: string[] = [];
  let length = 0;
  let scanAt = 0;

  const scanPieces = (isLast: boolean) => {
    const text = pieces.length === 1 ? pieces[0]! : pieces.join('');
    const rest = text.slice(scan(text, isLast));
    pieces = rest === '' ? [] : [rest];
    length = rest.length;
    scanAt = 2 * length;
  };

  return {
    write(text) {
      if (text === '') return;
      pieces.push(text);
      length += text.length;
      if (length >= scanAt) scanPieces(false);
    },
    end: () => scanPieces(true),
  };
}
