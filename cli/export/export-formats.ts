/** The formats of `export`. */
import { ROW_FORMATS, type RowFormat } from '../../shared/services/report/url-line.ts';

/** Made of the archive of a folder or of a stack's crawl. */
const ARCHIVE_FORMATS = ['cdxj', 'wacz'] as const;
/** Made of the pages of such an archive. */
const DOCUMENT_FORMATS = ['documents', 'markdown', 'llms'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];
/** Made of such an archive, several files each. */
const FOLDER_FORMATS = ['mirror', 'parquet', 'wet', 'wat', 'graph'] as const;
export type ArchiveFormat = Exclude<ExportFormat, RowFormat>;
export const EXPORT_FORMATS = [
  ...ROW_FORMATS,
  ...ARCHIVE_FORMATS,
  ...DOCUMENT_FORMATS,
  ...FOLDER_FORMATS,
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Made of several files. */
export const isFolderFormat = (format: ExportFormat): boolean =>
  (['markdown', 'llms', ...FOLDER_FORMATS] as readonly string[]).includes(format);

export const isRowFormat = (format: ExportFormat): format is RowFormat =>
  (ROW_FORMATS as readonly ExportFormat[]).includes(format);
