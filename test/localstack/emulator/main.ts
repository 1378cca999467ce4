/** `npm run emulator`: the emulator of the tests, in the foreground, to deploy to by hand. Ctrl-C ends it. */
import { once } from 'node:events';
import { environmentFor } from './emulator.ts';
import { NoEmulator, startEmulator } from './start-emulator.ts';

try {
  const emulator = await startEmulator((line) => console.error(line));
  const ended = Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
  console.error(`${emulator.title}. What functions print: ${emulator.functionLogs ?? 'their log groups'}`);
  for (const [name, value] of Object.entries(environmentFor(emulator)))
    console.log(`export ${name}=${value}`);
  console.error('Ctrl-C ends it.');
  // A signal alone keeps no process alive.
  const alive = setInterval(() => {}, 1 << 30);
  await ended;
  clearInterval(alive);
  await emulator.stop();
} catch (error) {
  if (!(error instanceof NoEmulator)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
