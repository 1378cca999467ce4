import type { RecordLocation } from '../../../core/archive/record-location.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import type { OpenWarcFile } from './archive-file.ts';
import type { PlacesWriter } from './capture-places.ts';
import type { IndexWriter } from './cdxj-files.ts';

/** The WARC file that is being written, with its index. */
export interface CurrentFile {
  readonly file: OpenWarcFile;
  /** Bytes of its warcinfo record. */
  leadBytes: number;
  /** Bytes known to the journal. */
  savedBytes: number;
  /** Undefined if not all of its captures are known: then it is made by a scan on request. */
  index: IndexWriter | undefined;
  /** Undefined if they are not kept, or not complete. */
  places: PlacesWriter | undefined;
}

export type Captures = Parameters<Archive['append']>[1];

interface AddedCaptures {
  readonly locations: readonly RecordLocation[];
  readonly captures: Captures;
}

/**
 * Adds captures to the file's index, which is dropped if that fails: an archive that can write its files needs none.
 * Undefined if nothing has to be waited for. Never rejects.
 */
export function addToIndex(
  to: CurrentFile,
  { locations, captures }: AddedCaptures,
  warn: (error: Error) => void,
): Promise<unknown> | undefined {
  const fail = (error: Error) => {
    warn(error);
    return dropIndex(to).catch(() => {});
  };
  if (captures === undefined) return dropIndex(to).catch(fail);
  let written: Promise<unknown> | undefined;
  try {
    for (const [i, lineStart] of captures.entries()) {
      if (lineStart === undefined) continue;
      const more = to.index?.add({ lineStart, ...locations[i]! });
      if (more) written = written === undefined ? more : Promise.all([written, more]);
      to.places?.add(lineStart.slice(0, lineStart.indexOf(' ')), locations[i]!.offset);
    }
  } catch (error) {
    return fail(error as Error);
  }
  return written?.catch(fail);
}

export async function dropIndex(of: CurrentFile): Promise<void> {
  const { index } = of;
  of.index = undefined;
  await index?.drop();
  await removePlaces(of);
}

export async function removePlaces(of: CurrentFile): Promise<void> {
  const { places } = of;
  of.places = undefined;
  await places?.remove();
}
