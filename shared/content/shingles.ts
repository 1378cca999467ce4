/** Runs of four words, hashed: to find a text again inside others. */
const RUN = 4;
const MAX_SHINGLES = 20_000;
export const WORD = /[\p{L}\p{N}]+/gu;

export function shinglesOf(texts: readonly string[]): ReadonlySet<number> {
  const shingles = new Set<number>();
  for (const text of texts) for (const shingle of shinglesIn(text)) shingles.add(shingle);
  return shingles;
}

/** The share of the text's runs that are known; 0 for a text of less than four words. */
export function shareOf(text: string, known: ReadonlySet<number>): number {
  if (known.size === 0) return 0;
  let count = 0;
  let hits = 0;
  for (const shingle of shinglesIn(text)) {
    count++;
    if (known.has(shingle)) hits++;
  }
  return count === 0 ? 0 : hits / count;
}

function* shinglesIn(text: string): Generator<number> {
  const last: number[] = [];
  let count = 0;
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
    last.push(hash);
    if (last.length > RUN) last.shift();
    if (last.length < RUN) continue;
    if (++count > MAX_SHINGLES) return;
    yield last.reduce((all, one) => Math.imul(all ^ one, 0x9e3779b1), 0);
  }
}
