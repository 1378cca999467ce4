/** Lines about the vertices and edges of a graph. */

/** A larger graph has no GraphML: programs that read it hold all of it in memory. */
export const MAX_GRAPHML_EDGES = 200_000;
/** Decimal digits of a vertex, so that texts are in the order of numbers. */
const DIGITS = 12;

export const padded = (id: number | string): string => String(id).padStart(DIGITS, '0');

/** The texts before and after the first tabulator, without a line feed at the end. */
export function halves(line: string): readonly [string, string] {
  const at = line.indexOf('\t');
  return [line.slice(0, at), line.endsWith('\n') ? line.slice(at + 1, -1) : line.slice(at + 1)];
}
