/** A WACZ file, uploaded part by part over as many slices as it takes. */
import { withCodingWarnings } from '../../core/archive/replay-codings.ts';
import {
  INDEX,
  isBetterMain,
  newWacz,
  type WaczDescription,
  type WaczFile,
  type WaczState,
  waczArchive,
  waczEnd,
  waczFile,
} from '../../core/archive/wacz.ts';
import { waczPageLine, waczPagesHeader } from '../../core/archive/wacz-pages.ts';
import { createZipNum } from '../../core/archive/zip-num.ts';
import { version } from '../../core/base/version.ts';
import type { UrlRecord } from '../../core/frontier/url-record.ts';
import { type IndexLine, type IndexPlace, indexLines, plannedFiles } from './archive-plan.ts';
import {
  type ExportContext,
  type ExportFacts,
  ExportImpossible,
  NOTHING_WRITTEN,
  type Pieces,
  type StageSlice,
  type WaczFacts,
} from './export-context.ts';
import { KeptText } from './kept-text.ts';
import { keptPiece, maxBytesOf, piecesOf } from './sliced-file.ts';
import { pageLocation, pagesIn } from './wacz-page.ts';
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
  const index = createZipNum(withCodingWarnings(lines(), context.warn), INDEX, { offset });
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
}

/** Pages whose titles are looked up together. */
const BATCH = 500;

/** Lists the pages, with their titles. */
export async function listPages(
  context: ExportContext,
  at: PagesAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { rows, crawl, record, hosts, isLate, isOver } = context;
  const files = await plannedFiles(context, facts);
  const known = factsOf(facts);
  let { main } = known;
  const lines = new KeptText(context, 'pages', known.pages);
  if (!at) await lines.add(waczPagesHeader());
  let batch: UrlRecord[] = [];
  async function take(): Promise<void> {
    for (const page of await pagesIn({ rows, crawl }, files, batch)) {
      await lines.add(waczPageLine(page));
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
    isCut = isOver() || (after.part === undefined && isLate());
    if (isCut) break;
  }
  await take();
  return {
    ...(isCut && { at: { after: after! } satisfies PagesAt }),
    facts: { ...facts, wacz: { ...known, pages: await lines.end(), main } },
    written: NOTHING_WRITTEN,
    share: Math.min(1, (after?.hosts ?? 0) / Math.max(1, hosts)),
  };
}

/** The crawl has no WARC file yet. */
export class NothingArchived extends ExportImpossible {
  override name = 'NothingArchived';
}

/** The files of the package: the index, the pages and the descriptions last. */
async function filesOf(context: ExportContext, facts: ExportFacts): Promise<readonly WaczFile[]> {
  const { warcs } = await plannedFiles(context, facts);
  if (warcs.length === 0) throw new NothingArchived(`Nothing is archived yet in the crawl ${context.crawl}`);
  const { blocks, summary, pages } = factsOf(facts);
  const kept = (path: string, pieces: Pieces, isDeflated = false): WaczFile => ({
    path,
    isDeflated,
    read: () => piecesOf(context, pieces),
  });
  return [
    ...warcs.map(waczArchive),
    kept(`indexes/${INDEX}`, blocks),
    kept('indexes/index.idx', summary, true),
    kept('pages/pages.jsonl', pages, true),
  ];
}

const descriptionOf = ({ crawl }: ExportContext, facts: ExportFacts): WaczDescription => ({
  title: crawl,
  software: `Strand ${version}`,
  main: factsOf(facts).main,
});

/** Yields the bytes of the package, after the other stages. */
export async function* waczBytes(context: ExportContext, facts: ExportFacts): AsyncGenerator<Uint8Array> {
  let state = newWacz(context.now());
  for (const file of await filesOf(context, facts)) state = yield* waczFile(state, file);
  yield* waczEnd(state, descriptionOf(context, facts));
}

interface AssembledAt {
  readonly upload: unknown;
  readonly state: WaczState;
}

/** Copies all files into the package, one after the other. */
export async function assembleWacz(
  context: ExportContext,
  at: AssembledAt | undefined,
  facts: ExportFacts,
): Promise<StageSlice> {
  const { crawl, objects, isLate } = context;
  const files = await filesOf(context, facts);
  const warcs = files.filter(({ path }) => path.startsWith('archive/')).length;
  const total = await maxBytesOf(context);
  const upload = at ? objects.resume(at.upload) : objects.create(`${crawl}.wacz`, total);
  let state = at?.state ?? newWacz(context.now());
  async function add<T>(bytes: AsyncGenerator<Uint8Array, T>): Promise<T> {
    for (;;) {
      const { value, done } = await bytes.next();
      if (done) return value;
      await upload.add(value);
    }
  }
  try {
    for (const file of files.slice(state.entries.length)) {
      state = await add(waczFile(state, file));
      if (!isLate()) continue;
      const paused = { upload: await upload.pause(), state } satisfies AssembledAt;
      return { at: paused, written: NOTHING_WRITTEN, share: Math.min(1, upload.bytes / total) };
    }
    await add(waczEnd(state, descriptionOf(context, facts)));
    const { bytes } = upload;
    await upload.complete();
    const written = { files: 1, bytes, records: warcs, skipped: 0 };
    return { written, share: 1 };
  } catch (error) {
    // An earlier slice's parts stay: the next function continues with them.
    if (!at) await upload.abort();
    throw error;
  }
}
