/** A thread that makes the open exports of the crawl in a folder, one after the other, and ends, also after the first that fails. */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../shared/core/base/error-message.ts';
import { FolderExportNotes } from '../../../shared/engines/local/exports/export-notes.ts';
import { entriesOf, refuseLink, refuseLinks } from '../../../shared/engines/local/folder-guard.ts';
import { foldersOf } from '../../../shared/engines/local/folders.ts';
import { lockFolder } from '../../../shared/engines/local/lock.ts';
import { systemClock } from '../../../shared/engines/system-clock.ts';
import { endWhenAsked } from '../../../shared/engines/watchdog/end-thread.ts';
import { ExportImpossible } from '../../../shared/services/exports/export-context.ts';
import type { HeldExport } from '../../../shared/services/exports/held-export.ts';
import { runExport } from '../../../shared/services/exports/run-export.ts';
import { exportContext } from '../../exports/make-exports.ts';
import { folderPlace } from '../folder-place.ts';
import { openFolder } from '../open-folder.ts';
import { toThreadError } from '../thread-error.ts';
import type { ExportThreadStart, FromExportThread } from './export-messages.ts';

endWhenAsked(parentPort);
// It ends by itself.
parentPort?.unref();
const { crawl, folder } = workerData as ExportThreadStart;
const { exports } = foldersOf(folder);
const notes = new FolderExportNotes(crawl, exports, systemClock);
const report = (error: unknown) =>
  parentPort?.postMessage({ failed: toThreadError(error) } satisfies FromExportThread);

async function make(held: HeldExport): Promise<void> {
  for (const entry of entriesOf(join(exports, held.id)))
    refuseLink(entry, join(exports, held.id, entry.name));
  const place = folderPlace(folder, await openFolder(folder));
  try {
    const { close, ...opened } = await place.openFiles();
    const { rows, record, archive: payloads } = place;
    const source = { crawl: place.crawl, record, rows, payloads };
    try {
      const context = exportContext(source, opened, notes.filesOf(held), {});
      await runExport({ ...context, request: held.request }, held, notes);
    } finally {
      await close();
    }
  } finally {
    await place.close();
  }
}

try {
  refuseLinks(folder);
  const lock = lockFolder(exports);
  try {
    for (let held = await notes.take(); held; held = await notes.take())
      try {
        await make(held);
      } catch (error) {
        if (error instanceof ExportImpossible) await notes.end(held, 'failed', error.message);
        else {
          report(error);
          await notes.fail(held, messageOf(error));
          // The next try is after a rest, in another thread.
          break;
        }
      }
  } finally {
    lock.release();
  }
} catch (error) {
  report(error);
}
