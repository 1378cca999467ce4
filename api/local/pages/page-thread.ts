/** The thread of a session of pages: it fetches them and makes their documents. */
import { tmpdir } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { endWhenAsked } from '../../../shared/engines/watchdog/end-thread.ts';
import { writeSlot } from '../../../shared/engines/watchdog/work-slot.ts';
import { toThreadError } from '../thread-error.ts';
import type { AskedPage, FromPageThread, PageThreadStart } from './page-messages.ts';
import { openPageSource } from './page-source.ts';

const port = parentPort;
if (!port) throw new Error('Expected to run in a thread');
endWhenAsked(port);
const post = (message: FromPageThread) => port.postMessage(message);
const { url: first, options, rests, slot } = workerData as PageThreadStart;

function fail(error: unknown): void {
  post({ kind: 'failed', error: toThreadError(error) });
  port?.close();
}

const opening = openPageSource(first, options, {
  tempFolder: tmpdir(),
  rests,
  work: writeSlot(slot),
  onMoved: (from, to) => post({ kind: 'moved', from, to }),
  onRest: (host, until) => post({ kind: 'rest', host, until }),
  onFailure: fail,
});

port.on('message', async ({ id, url, form }: AskedPage) => {
  const source = await opening.catch(() => undefined);
  try {
    if (source) post({ kind: 'answer', id, answer: await source.get(url, form) });
  } catch (error) {
    post({ kind: 'refused', id, error: toThreadError(error) });
  }
});

opening.then(({ config }) => {
  const { delayMs, blockTimeoutMs, hookTimeoutMs, maxDecodedBytes, maxLinksPerPage } = config;
  post({
    kind: 'begun',
    config: { delayMs, blockTimeoutMs, hookTimeoutMs, maxDecodedBytes, maxLinksPerPage },
  });
}, fail);
