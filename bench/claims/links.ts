/**
 * Links a second, by one core: the bytes of pages, decoded already, through the document parser to canonical
 * URLs.
 *
 *     npm run bench -- links [FOLDER of .html files]        without one: pages of the generated web
 */
import { createDocumentParser } from '../../shared/core/parser/document.ts';
import { createResolver } from '../../shared/core/url/canonical.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { type BenchDocument, documentsOf } from '../harness/documents.ts';
import { type Measured, median } from '../harness/record.ts';

const HEADERS = [['Content-Type', 'text/html; charset=utf-8']] as const;
const ROUNDS = 7;

export async function measure({ words: [folder] }: BenchOptions): Promise<Measured> {
  const documents = documentsOf(folder);
  const bytes = documents.reduce((sum, document) => sum + document.bytes.length, 0);
  let links = 0;
  const times: number[] = [];
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    links = 0;
    const ms = await cpuMsOf(async () => {
      for (const document of documents) links += await linksOf(document);
    });
    if (round > 0) times.push(ms);
  }
  const ms = median(times);
  return {
    figures: {
      linksPerSecond: { value: (links / ms) * 1000, unit: 'links/s' },
      cpuMsPerPage: { value: ms / documents.length, unit: 'ms a page' },
      mbPerSecond: { value: bytes / 1000 / ms, unit: 'MB/s of HTML' },
      linksPerPage: { value: links / documents.length, unit: 'distinct links a page' },
      kbPerPage: { value: bytes / 1000 / documents.length, unit: 'KB a page' },
    },
    detail: `${documents.length} ${folder === undefined ? 'generated pages' : `files of ${folder}`}, ${ROUNDS} rounds`,
  };
}

/** As a turn reads a page: one resolver for each base. */
async function linksOf({ url, bytes }: BenchDocument): Promise<number> {
  const resolvers = new Map<string, (reference: string) => string | undefined>();
  const parser = createDocumentParser({
    url,
    headers: HEADERS,
    maxDecodedBytes: 32 * 1024 * 1024,
    maxLinks: 6000,
    resolve(reference, base) {
      const known = resolvers.get(base);
      if (known) return known(reference);
      const resolve = createResolver(base);
      resolvers.set(base, resolve);
      return resolve(reference);
    },
  });
  // As pieces come from a socket.
  for (let at = 0; at < bytes.length; at += 65_536) parser.write(bytes.subarray(at, at + 65_536));
  return (await parser.end()).links.length;
}
