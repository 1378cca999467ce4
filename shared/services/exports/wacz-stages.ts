/** A WACZ file, uploaded part by part over as many slices as it takes. */
import { createHash, hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { descriptionOf, INDEX, isBetterMain, type Resource } from '../../core/archive/wacz.ts';
import { waczPageLine, waczPagesHeader } from '../../core/archive/wacz-pages.ts';
import { createZipNum } from '../../core/archive/zip-num.ts';
import { type ZipEntry, zipDescriptor, zipDirectory, zipHeader } from '../../core/archive/zip-parts.ts';
import { version } from '../../core/base/version.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { warcName } from '../../core/text/stored-names.ts';
import { type IndexLine, type IndexPlace, indexLines, plannedFiles } from './archive-plan.ts';
import {
  type ExportContext,
  type ExportFacts,
  NOTHING_WRITTEN,
  type Pieces,
  type StageSlice,
  type WaczFacts,
} from './export-context.ts';
import type { ExportFile } from './export-store.ts';
import { keptPiece, piecesOf } from './sliced-file.ts';
import { pageLocation, pagesIn } from './wacz-bytes.ts';
import { type LedgerPlace, walkLedgers } from './walk-ledgers.ts';

const NO_FACTS: WaczFacts = { blocks: [], summary: [], pages: [] };
const factsOf = ({ wacz = NO_FACTS }: ExportFacts): WaczFacts => wacz;

/** A slice gathers as many bytes in memory. */
const PIECE_BYTES = 32 * 1024 * 1024;

interface BlocksAt {
  readonly after: IndexPlace;
  /** Bytes of all blocks so far, and the number of pieces. */
  readonly offset: number;
  readonly pieces: number;
}

/** Packs lines of the index into blocks. */
export async function packIndex(
  context: ExportContext,
  at: BlocksAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { isLate, maxFileBytes = PIECE_BYTES } = context;
  const files = await plannedFiles(context, facts);
  let last: IndexLine | undefined;
  let isCut = false;
  let size = 0;
  async function* lines() {
    for await (const line of indexLines(context, files, facts, at?.after)) {
      last = line;
      yield line.line;
      isCut = isLate() || size >= maxFileBytes;
      if (isCut) return;
    }
  }
  const offset = at?.offset ?? 0;
  const index = createZipNum(lines(), INDEX, { offset });
  const blocks: Uint8Array[] = [];
  for await (const block of index.blocks()) {
    blocks.push(block);
    size += block.length;
  }
  const { blocks: before, summary, ...rest } = factsOf(facts);
  const pieces = at?.pieces ?? 0;
  const wacz: WaczFacts = {
    ...rest,
    blocks: [...before, ...(await keptPiece(context, `blocks-${pieces}`, Buffer.concat(blocks)))],
    summary: [...summary, ...(await keptPiece(context, `summary-${pieces}`, Buffer.from(index.summary())))],
  };
  const next: BlocksAt | undefined =
    isCut && last ? { after: last.after, offset: offset + size, pieces: pieces + 1 } : undefined;
  return {
    ...(next && { at: next }),
    facts: { ...facts, wacz },
    written: NOTHING_WRITTEN,
    share: last?.share ?? 1,
  };
}

interface PagesAt {
  readonly after: LedgerPlace;
  readonly pieces: number;
}

/** Pages whose titles are looked up together. */
const BATCH = 500;

/** Lists the pages, with their titles. */
export async function listPages(
  context: ExportContext,
  at: PagesAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { rows, crawl, record, hosts, isLate, isOver, maxFileBytes = PIECE_BYTES } = context;
  const files = await plannedFiles(context, facts);
  const known = factsOf(facts);
  let { main } = known;
  const lines: string[] = at ? [] : [waczPagesHeader()];
  let chars = 0;
  let batch: UrlRecord[] = [];
  async function take(): Promise<void> {
    for (const page of await pagesIn({ rows, crawl }, files, batch)) {
      const line = waczPageLine(page);
      lines.push(line);
      chars += line.length;
      if (isBetterMain(page, main, record.scopeSeeds[0])) main = page;
    }
    batch = [];
  }
  let after = at?.after;
  let isCut = false;
  for await (const placed of walkLedgers(context, at?.after)) {
    after = placed.after;
    if (pageLocation(placed.record) !== undefined) batch.push(placed.record);
    if (batch.length >= BATCH) await take();
    isCut = isOver() || (after.part === undefined && (isLate() || chars >= maxFileBytes));
    if (isCut) break;
  }
  await take();
  const pieces = at?.pieces ?? 0;
  const made = await keptPiece(context, `pages-${pieces}`, Buffer.from(lines.join('')));
  return {
    ...(isCut && { at: { after: after!, pieces: pieces + 1 } satisfies PagesAt }),
    facts: { ...facts, wacz: { ...known, pages: [...known.pages, ...made], main } },
    written: NOTHING_WRITTEN,
    share: Math.min(1, (after?.hosts ?? 0) / Math.max(1, hosts)),
  };
}

interface AssembledAt {
  readonly upload: unknown;
  readonly createdAt: number;
  readonly entries: readonly ZipEntry[];
  readonly resources: readonly Resource[];
}

/** Copies all files into the WACZ, one after the other; the index, the pages and the descriptions last. */
export async function assembleWacz(
  context: ExportContext,
  at: AssembledAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { crawl, objects, isLate } = context;
  const files = await plannedFiles(context, facts);
  const { blocks, summary, pages, main } = factsOf(facts);
  const size = (pieces: Pieces) => pieces.reduce((sum, [, bytes]) => sum + bytes, 0);
  const archived = files.warcs.reduce((sum, { bytes }) => sum + bytes, 0);
  const total = archived + size(blocks) + size(summary) + size(pages) + 1000 * (files.warcs.length + 10);
  const upload = at ? objects.resume(at.upload) : objects.create(`${crawl}.wacz`, total);
  const zip = new ZipWriter(upload, at ?? { createdAt: context.now(), entries: [], resources: [] });
  const contents: [path: string, read: () => AsyncIterable<Uint8Array>][] = [
    ...files.warcs.map(({ name, read }) => [`archive/${warcName(name)}`, read] as [string, typeof read]),
    [`indexes/${INDEX}`, () => piecesOf(context, blocks)],
    ['indexes/index.idx', () => piecesOf(context, summary)],
    ['pages/pages.jsonl', () => piecesOf(context, pages)],
  ];
  try {
    for (const [path, read] of contents.slice(zip.entries.length)) {
      await zip.add(path, read());
      if (!isLate()) continue;
      const paused = { upload: await upload.pause(), ...zip.state } satisfies AssembledAt;
      return { at: paused, written: NOTHING_WRITTEN, share: upload.bytes / total };
    }
    const software = `Strand ${version}`;
    const described = { title: crawl, createdAt: zip.state.createdAt, software };
    const description = descriptionOf(described, zip.resources, main);
    await zip.add('datapackage.json', [Buffer.from(description)]);
    const digest = { path: 'datapackage.json', hash: `sha256:${hash('sha256', description)}` };
    await zip.add('datapackage-digest.json', [Buffer.from(`${JSON.stringify(digest, undefined, 2)}\n`)]);
    await zip.end();
    const { bytes } = upload;
    await upload.complete();
    const written = { files: 1, bytes, records: files.warcs.length, skipped: 0 };
    return { written, share: 1 };
  } catch (error) {
    // An earlier slice's parts stay: the next function continues with them.
    if (!at) await upload.abort();
    throw error;
  }
}

/** Adds entries to a ZIP file. */
class ZipWriter {
  readonly #upload: ExportFile;
  readonly #createdAt: number;
  readonly entries: ZipEntry[];
  readonly resources: Resource[];

  constructor(upload: ExportFile, { createdAt, entries, resources }: Omit<AssembledAt, 'upload'>) {
    this.#upload = upload;
    this.#createdAt = createdAt;
    this.entries = [...entries];
    this.resources = [...resources];
  }

  get state(): Omit<AssembledAt, 'upload'> {
    return { createdAt: this.#createdAt, entries: this.entries, resources: this.resources };
  }

  async add(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    const offset = this.#upload.bytes;
    await this.#upload.add(zipHeader(path, this.#createdAt));
    const digest = createHash('sha256');
    let [bytes, sum] = [0, 0];
    for await (const chunk of chunks) {
      digest.update(chunk);
      sum = crc32(chunk, sum);
      bytes += chunk.length;
      await this.#upload.add(chunk);
    }
    await this.#upload.add(zipDescriptor({ bytes, crc32: sum }));
    this.entries.push({ path, offset, bytes, crc32: sum });
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
    this.resources.push({ name, path, hash: `sha256:${digest.digest('hex')}`, bytes });
  }

  end(): Promise<void> {
    return this.#upload.add(zipDirectory(this.entries, this.#upload.bytes, this.#createdAt));
  }
}
