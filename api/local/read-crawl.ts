/** A crawl's folder as a {@link StoredCrawl}. */
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { systemClock } from '../../shared/engines/system-clock.ts';
import type { CrawlPlace, OpenedCrawl } from '../crawl-place.ts';
import { createStoredCrawl, searchedIn } from '../create-stored-crawl.ts';
import type { OpenCrawlOptions, OutputOptions, StoredCrawl, UpdatedOutputs } from '../stored-crawl.ts';
import { folderPlace } from './folder-place.ts';
import { openFolder } from './open-folder.ts';

/** Throws `NoCrawl`. */
export async function openStoredCrawl(folder: string, options?: OpenCrawlOptions): Promise<StoredCrawl> {
  const place = folderPlace(folder, await openFolder(folder));
  const stored = createStoredCrawl(place, options);
  return {
    ...stored,
    folder,
    addSeeds: async (seeds) => (await import('./add-seeds.ts')).addSeeds(folder, seeds, systemClock),
    updateOutputs: (asked) => updateOutputs(folder, place, stored, asked),
  };
}

async function updateOutputs(
  folder: string,
  place: CrawlPlace,
  stored: OpenedCrawl,
  { documents = false, search = false, skip }: OutputOptions,
): Promise<UpdatedOutputs> {
  const kept = documents
    ? await (await import('./kept-outputs.ts')).updateDocuments(stored, folder, { skip })
    : undefined;
  if (!search) return { ...(kept && { documents: kept }) };
  const { updateSearch } = await import('../exports/search.ts');
  // The documents of this moment were written just now: the index takes them, and extracts no page again.
  const source = kept ? await documentsIn(folder) : stored.documents;
  const searched = await updateSearch(searchedIn(place, source), { skip });
  return { ...(kept && { documents: kept }), search: searched };
}

async function documentsIn(folder: string): Promise<OpenedCrawl['documents']> {
  const { keptDocuments } = await import('../exports/keep-documents.ts');
  const path = foldersOf(folder).documents;
  return async function* ({ isWanted = () => true } = {}) {
    for await (const document of keptDocuments(path)) if (isWanted(document)) yield document;
  };
}
