import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { quoted } from '../../core/text/printable.ts';
import { ControlError } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import { type CrawlExport, type CrawlExports, type ExportRequest, isOpenExport } from './crawl-export.ts';

/** Exports that are neither done nor failed, of one crawl: each is some hours of a function's time. */
const MAX_OPEN = 10;

/** Throws {@link ControlError} for too many at once, and for tables of a format that has none. */
export async function beginExport(
  engine: Pick<ControlEngine, 'exports'>,
  crawl: CrawlId,
  request: ExportRequest,
): Promise<CrawlExport> {
  const exports = exportsOf(engine);
  const { format, tables = [] } = request;
  // Documents may be a table beside their lines: they are made once for both.
  if (format !== 'parquet' && tables.some((table) => format !== 'documents' || table !== format))
    throw new ControlError(
      'invalid',
      'Expected tables with the format parquet only, or the table documents with documents',
      'tables',
    );
  const open = (await exports.list(crawl)).filter(({ state }) => isOpenExport(state));
  if (open.length >= MAX_OPEN)
    throw new ControlError(
      'conflict',
      `${MAX_OPEN} exports of the crawl ${quoted(crawl)} are being made already`,
    );
  return exports.begin(crawl, request);
}

export async function exportOf(
  engine: Pick<ControlEngine, 'exports'>,
  crawl: CrawlId,
  id: string,
): Promise<CrawlExport> {
  const found = await exportsOf(engine).load(crawl, id);
  if (found) return found;
  throw new ControlError(
    'notFound',
    `There is no export ${quoted(id)} of the crawl ${quoted(crawl)}`,
    'export',
  );
}

export function exportsOf({ exports }: Pick<ControlEngine, 'exports'>): CrawlExports {
  if (exports) return exports;
  throw new ControlError('conflict', 'This engine makes no exports by itself');
}
