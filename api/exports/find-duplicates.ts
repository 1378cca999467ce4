/** Pages of a crawl whose texts are nearly the same, found in its archive. */
import { dirname } from 'node:path';
import { alikeClusters } from '../../shared/core/alike/alike-clusters.ts';
import { commonBlocks } from '../../shared/core/alike/common-blocks.ts';
import { MIN_WORDS_READ, ownSketch } from '../../shared/core/alike/own-sketch.ts';
import { type OwnText, ownText } from '../../shared/core/alike/own-text.ts';
import { sharedText } from '../../shared/core/alike/shared-text.ts';
import { PayloadReader } from '../../shared/core/archive/payload-reader.ts';
import type { UrlRecord } from '../../shared/core/frontier/url-record.ts';
import { isPageStatus } from '../../shared/core/outcome/page-status.ts';
import type { HashedBlocks } from '../../shared/core/parser/hashed-blocks.ts';
import { createHtmlLinks } from '../../shared/core/parser/html-links.ts';
import type { KnownBlocks } from '../../shared/core/recrawl/change-digest.ts';
import { SKETCH_BYTES } from '../../shared/core/recrawl/text-sketch.ts';
import { makeFolders } from '../../shared/engines/local/make-folders.ts';
import { eachPayload } from '../../shared/services/exports/archived-payloads.ts';
import type { ExportSource } from '../../shared/services/exports/export-source.ts';
import { recordsOf } from '../../shared/services/report/url-rows.ts';
import type { DuplicateOptions, DuplicatePages } from '../duplicates.ts';
import { openSketchFile, type SketchFile } from './sketch-file.ts';

/** Texts that are kept in memory while pages are compared. */
const MAX_TEXTS = 2_000;
/** Pages of a host that are read first, to see which blocks repeat. */
const MAX_SAMPLE = 256;

/** See `StoredCrawl.duplicates`. `file`: that of the sketches, unless the caller names another one. */
export async function findDuplicates(
  source: ExportSource,
  file: string,
  { skip = () => {}, onRead, index = file }: DuplicateOptions = {},
): Promise<DuplicatePages> {
  makeFolders(dirname(index));
  const sketches = openSketchFile(index);
  try {
    let read = 0;
    const note = () => onRead?.(++read);
    const { rows, crawl } = source;
    // Shared by all hosts, so that the archive's index is read once.
    const payloads = new PayloadReader(source.payloads, 'shown');
    for await (const { host, head } of rows.ledgers.hosts(crawl)) {
      const pages: UrlRecord[] = [];
      for await (const record of recordsOf(rows, crawl, host, head)) if (isPage(record)) pages.push(record);
      // Which blocks repeat depends on all pages of the host.
      if (!sketches.hasAll(host, pages)) await sketchHost(payloads, { host, pages, sketches, skip, note });
    }
    sketches.deleteOthers();
    const found = clustered(sketches);
    sketches.keepClusters(found.clusters);
    return found;
  } finally {
    sketches.close();
  }
}

/** Pages of HTML, as far as nothing else says of them that they are copies. */
const isPage = ({ state, kind, result }: UrlRecord): boolean =>
  state === 'fetched' &&
  kind === undefined &&
  isPageStatus(result?.httpStatus) &&
  result.location !== undefined &&
  /^(?:text\/html|application\/xhtml\+xml)/.test(result.contentType ?? '');

interface HostPages {
  readonly host: string;
  readonly pages: readonly UrlRecord[];
  readonly sketches: SketchFile;
  readonly skip: (url: string, reason: string) => void;
  readonly note: () => void;
}

async function sketchHost(
  payloads: PayloadReader,
  { host, pages, sketches, skip, note }: HostPages,
): Promise<void> {
  const step = Math.max(1, pages.length / MAX_SAMPLE);
  const sample = Array.from(
    { length: Math.min(pages.length, MAX_SAMPLE) },
    (_, n) => pages[Math.floor(n * step)] as UrlRecord,
  );
  const sampled = new Map<string, HashedBlocks>();
  const blocksIn = ({ url }: UrlRecord, body: Uint8Array, type?: string) => {
    const parser = createHtmlLinks({ url, contentType: type, maxLinks: 0, wantsBlocks: 'named' });
    parser.write(body);
    return parser.end().blocks as HashedBlocks;
  };
  const typeOf = (headers: readonly (readonly [string, string])[]) =>
    headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const take = (record: UrlRecord, blocks: HashedBlocks, common: KnownBlocks) => {
    const sketch = ownSketch(blocks, common, MIN_WORDS_READ);
    sketches.put(host, record, sketch && { sketch, text: ownText(blocks, common) });
    note();
  };
  await eachPayload(
    payloads,
    sample,
    (record, { headers, body }) => void sampled.set(record.url, blocksIn(record, body, typeOf(headers))),
    // Reported once, when it is read for its sketch.
    () => {},
  );
  const common = commonBlocks([...sampled.values()]);
  for (const record of sample) {
    const blocks = sampled.get(record.url);
    if (blocks) take(record, blocks, common);
  }
  const others = new Map(pages.flatMap((page) => (sampled.has(page.url) ? [] : [[page.url, page]])));
  await eachPayload(
    payloads,
    others.values(),
    (record, { headers, body }) => take(record, blocksIn(record, body, typeOf(headers)), common),
    (url, reason) => {
      sketches.putUnread(host, others.get(url) as UrlRecord);
      skip(url, reason);
    },
  );
}

function clustered(file: SketchFile): DuplicatePages {
  const urls: string[] = [];
  const ids: number[] = [];
  const bytes = new Uint8Array(file.count * SKETCH_BYTES);
  for (const { id, url, sketch } of file.sketches()) {
    bytes.set(sketch, urls.length * SKETCH_BYTES);
    urls.push(url);
    ids.push(id);
  }
  const textOf = lastTexts((at) => file.textOf(ids[at] as number));
  const sketches = bytes.subarray(0, urls.length * SKETCH_BYTES);
  const clusters = alikeClusters(sketches, (a, b) => sharedText(textOf(a), textOf(b))).map(
    ({ original, others }) => ({
      original: urls[original] as string,
      copies: others.map(({ at, similarity }) => ({
        url: urls[at] as string,
        similarity: Math.round(similarity * 100) / 100,
      })),
    }),
  );
  return {
    pages: urls.length,
    copies: clusters.reduce((sum, { copies }) => sum + copies.length, 0),
    clusters,
  };
}

/** Keeps the last texts that were read. */
function lastTexts(read: (at: number) => OwnText): (at: number) => OwnText {
  const kept = new Map<number, OwnText>();
  return (at) => {
    const known = kept.get(at);
    if (known) {
      kept.delete(at);
      kept.set(at, known);
      return known;
    }
    const text = read(at);
    kept.set(at, text);
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_TEXTS) break;
      kept.delete(oldest);
    }
    return text;
  };
}
