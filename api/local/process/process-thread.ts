/** A thread that processes pages: it loads the project's file, and answers each page that it is sent. */
import { parentPort, workerData } from 'node:worker_threads';
import { openStateFile } from '../../../shared/engines/local/items/state-store.ts';
import { endWhenAsked } from '../../../shared/engines/watchdog/end-thread.ts';
import { writeSlot } from '../../../shared/engines/watchdog/work-slot.ts';
import { guardProcess } from '../../../shared/services/hooks/guard-process.ts';
import { readProject } from '../../../shared/services/project/project-file.ts';
import { archiveOf } from '../crawl-archive.ts';
import { toThreadError } from '../thread-error.ts';
import type { FromProcessThread, ProcessThreadStart, ToProcessThread } from './messages.ts';
import { createPageProcessor } from './process-page.ts';

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
endWhenAsked(port);
const post = (message: FromProcessThread) => port.postMessage(message);
const fail = (error: unknown) => post({ kind: 'failed', ...toThreadError(error) });
// Failures of code that a hook left running do not end the thread. The hook's result counts.
guardProcess({ onFailure: () => {}, onBug: fail });

try {
  const { folder, config, hasRendered, projectFile, stateFile, slot } = workerData as ProcessThreadStart;
  const hooks = await readProject(projectFile);
  const process = createPageProcessor({
    archive: { ...archiveOf(folder), hasRendered: async () => hasRendered },
    config,
    hooks,
    store: openStateFile(stateFile),
    work: writeSlot(slot),
  });
  let work = Promise.resolve();
  port.on('message', ({ pages }: ToProcessThread) => {
    work = work.then(async () => {
      for (const page of pages) post({ kind: 'outcome', outcome: await process(page) });
    });
    work.catch(fail);
  });
} catch (error) {
  fail(error);
}
