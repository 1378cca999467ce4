/** Writes the digits of the picture that is piped to it. */
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createWorker, OEM, PSM } from 'tesseract.js';

const data = dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng')));
const worker = await createWorker('eng', OEM.LSTM_ONLY, {
  // Without a path it would be downloaded.
  langPath: join(data, '4.0.0_best_int'),
  cacheMethod: 'none',
});
await worker.setParameters({
  tessedit_char_whitelist: '0123456789',
  tessedit_pageseg_mode: PSM.SINGLE_WORD,
});
const { data: page } = await worker.recognize(await buffer(process.stdin));
process.stdout.write(page.text.trim());
await worker.terminate();
