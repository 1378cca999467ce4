import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';

const linesOf = (path: string): string[] =>
  gunzipSync(readFileSync(path)).toString().split('\n').slice(0, -1);

/** The edges by the names of their vertices; throws unless vertices and edges are in Common Crawl's order. */
export function readGraph(path: string): { vertices: string[]; edges: string[] } {
  const vertices = linesOf(join(path, 'vertices.txt.gz')).map((line, i) => {
    const [id, name] = line.split('\t');
    expect(id).toBe(String(i));
    return name!;
  });
  expect(vertices).toEqual([...vertices].sort());
  const pairs = linesOf(join(path, 'edges.txt.gz')).map((line) => line.split('\t').map(Number));
  expect(pairs).toEqual([...pairs].sort(([a, b], [c, d]) => a! - c! || b! - d!));
  return { vertices, edges: pairs.map(([from, to]) => `${vertices[from!]} ${vertices[to!]}`) };
}
