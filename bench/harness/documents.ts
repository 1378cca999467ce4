/** HTML documents in memory, for benches that parse them again and again. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGraph } from './web/graph.ts';
import { renderPage } from './web/render.ts';

const MAX_FILES = 1000;
/** At most: what is parsed again and again stays in memory. */
const MAX_BYTES = 100e6;

export interface BenchDocument {
  readonly url: string;
  readonly bytes: Buffer;
}

/** The `.html` files of a folder, or pages of the generated web. */
export const documentsOf = (folder: string | undefined): BenchDocument[] =>
  folder === undefined ? generated() : filesOf(folder);

function generated(): BenchDocument[] {
  const [host] = createGraph({ hosts: 5, pages: 200 });
  const authority = (index: number) => `site-${index}.example.org`;
  return (host?.pages ?? []).map((page) => ({
    url: `http://${authority(0)}${page.path}`,
    bytes: Buffer.from(renderPage(page, authority)),
  }));
}

function filesOf(folder: string): BenchDocument[] {
  const documents: BenchDocument[] = [];
  let size = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const bytes = readFileSync(join(folder, name));
    size += bytes.length;
    if (documents.length === MAX_FILES || size > MAX_BYTES) break;
    documents.push({ url: `https://files.example.org/${name}`, bytes });
  }
  if (documents.length === 0) throw new Error(`Expected .html files in ${folder}, found none`);
  return documents;
}
