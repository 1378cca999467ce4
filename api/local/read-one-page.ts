import { takeSeedCredentials } from '../../shared/core/crawl/seed-credentials.ts';
import type { DocumentRow } from '../../shared/services/outputs/document-row.ts';
import type { ReadPageOptions } from '../start-options.ts';
import { openFetchedPages } from './pages/open-pages.ts';

/** Reads a page by a session of its own. */
export async function readOnePage(url: string, { signal, ...given }: ReadPageOptions): Promise<DocumentRow> {
  const { options, seeds } = takeSeedCredentials({ preferMarkdown: true, ...given }, [url]);
  await using pages = await openFetchedPages({ ...options, ...(signal && { signal }) });
  return await pages.read(seeds[0] ?? url);
}
