/** Merging sorted lists of text, each read piece by piece. */

interface Source {
  readonly pieces: AsyncIterator<readonly string[]>;
  /** The piece that is being returned, and the position in it. */
  piece: readonly string[];
  at: number;
}

/** A yield of each text alone makes three promises. */
const PIECE_TEXTS = 256;

/** The texts of {@link mergeSortedPieces} one by one. */
export async function* mergeSorted(
  sources: readonly AsyncIterable<readonly string[]>[],
): AsyncGenerator<string, void, undefined> {
  for await (const piece of mergeSortedPieces(sources)) for (const text of piece) yield text;
}

/**
 * The texts of all sources, sorted; each source gives its own sorted, in pieces of any size. Holds one piece
 * of each, and reads the next only when that piece is used up. Closes all sources, however it ends.
 */
export async function* mergeSortedPieces(
  sources: readonly AsyncIterable<readonly string[]>[],
): AsyncGenerator<readonly string[], void, undefined> {
  const all = sources.map((source): Source => ({ pieces: source[Symbol.asyncIterator](), piece: [], at: 0 }));
  try {
    /** A heap: an entry never sorts before the entry at half its index. */
    const heap: Source[] = [];
    for (const source of all) {
      if (!(await advance(source))) continue;
      heap.push(source);
      siftUp(heap);
    }
    let texts: string[] = [];
    while (heap.length > 0) {
      const first = heap[0]!;
      texts.push(head(first));
      first.at++;
      const isUsedUp = first.at === first.piece.length;
      if (isUsedUp || texts.length === PIECE_TEXTS) {
        yield texts;
        texts = [];
      }
      if (isUsedUp && !(await advance(first))) {
        const last = heap.pop()!;
        if (last !== first) heap[0] = last;
      }
      siftDown(heap);
    }
  } finally {
    await Promise.all(all.map(({ pieces }) => pieces.return?.()));
  }
}

const head = ({ piece, at }: Source): string => piece[at]!;

/** Goes on to the next piece with something in it; false at the end. */
async function advance(source: Source): Promise<boolean> {
  do {
    const next = await source.pieces.next();
    if (next.done) return false;
    source.piece = next.value;
    source.at = 0;
  } while (source.piece.length === 0);
  return true;
}

function siftUp(heap: Source[]): void {
  for (let child = heap.length - 1; child > 0; ) {
    const parent = (child - 1) >> 1;
    if (head(heap[parent]!) <= head(heap[child]!)) return;
    swap(heap, parent, child);
    child = parent;
  }
}

function siftDown(heap: Source[]): void {
  for (let parent = 0; ; ) {
    let least = parent;
    for (const child of [2 * parent + 1, 2 * parent + 2])
      if (child < heap.length && head(heap[child]!) < head(heap[least]!)) least = child;
    if (least === parent) return;
    swap(heap, parent, least);
    parent = least;
  }
}

function swap(heap: Source[], a: number, b: number): void {
  const held = heap[a]!;
  heap[a] = heap[b]!;
  heap[b] = held;
}
