/** A crawl's folder as a {@link StoredCrawl}. */
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
  const searched = await updateSearch(searchedIn(place, stored.documents), { skip });
  return { ...(kept && { documents: kept }), search: searched };
}
