/**
 * The CPU that the text digest adds to a page: hashed blocks while the links are found, the digest, the count of
 * repeated blocks; and the sketch.
 *
 *     npm run bench -- digest [FOLDER of .html files]        without one: pages of the generated web
 */
import { createHtmlLinks, type HtmlLinks } from '../../shared/core/parser/html-links.ts';
import { changeDigest } from '../../shared/core/recrawl/change-digest.ts';
import { createRepeatedBlocks } from '../../shared/core/recrawl/repeated-blocks.ts';
import { textSketch } from '../../shared/core/recrawl/text-sketch.ts';
import type { BenchOptions } from '../claims.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { type BenchDocument, documentsOf } from '../harness/documents.ts';
import { type Measured, median } from '../harness/record.ts';

const ROUNDS = 9;

type Work = (document: BenchDocument, index: number) => void;

export async function measure({ words: [folder] }: BenchOptions): Promise<Measured> {
  const documents = documentsOf(folder);
  let blocks = 0;
  const works: Record<'plain' | 'digest' | 'sketch', () => Work> = {
    plain: () => (document) => void htmlOf(document, false),
    digest: () => {
      const repeated = createRepeatedBlocks();
      return (document, index) => {
        const found = htmlOf(document, true).blocks!;
        changeDigest(found, repeated);
        repeated.countPage(index, found.blocks);
      };
    },
    sketch: () => {
      const repeated = createRepeatedBlocks();
      return (document, index) => {
        const found = htmlOf(document, true).blocks!;
        changeDigest(found, repeated);
        repeated.countPage(index, found.blocks);
        textSketch(found, repeated);
      };
    },
  };
  const times = { plain: [] as number[], digest: [] as number[], sketch: [] as number[] };
  // The first round is for the compiler. Interleaved, as the machine's speed changes.
  for (let round = 0; round <= ROUNDS; round++)
    for (const name of ['plain', 'digest', 'sketch'] as const) {
      const work = works[name]();
      const ms = await cpuMsOf(async () => documents.forEach(work));
      if (round > 0) times[name].push(ms / documents.length);
    }
  for (const document of documents) blocks += htmlOf(document, true).blocks!.blocks.length;
  const bytes = documents.reduce((sum, document) => sum + document.bytes.length, 0);
  const plain = median(times.plain);
  return {
    figures: {
      digestMsPerPage: { value: median(times.digest) - plain, unit: 'ms of CPU a page for the text digest' },
      sketchMsPerPage: { value: median(times.sketch) - plain, unit: 'ms with the sketch' },
      linksMsPerPage: { value: plain, unit: 'ms for the links alone' },
      blocksPerPage: { value: blocks / documents.length, unit: 'blocks a page' },
      kbPerPage: { value: bytes / 1000 / documents.length, unit: 'KB a page' },
    },
    detail: `${documents.length} ${folder === undefined ? 'generated pages' : `files of ${folder}`}, ${ROUNDS} rounds`,
  };
}

function htmlOf({ url, bytes }: BenchDocument, wantsBlocks: boolean): HtmlLinks {
  const parser = createHtmlLinks({
    url,
    contentType: 'text/html; charset=utf-8',
    maxLinks: 6000,
    wantsBlocks,
  });
  for (let at = 0; at < bytes.length; at += 65_536) parser.write(bytes.subarray(at, at + 65_536));
  return parser.end();
}
