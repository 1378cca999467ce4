/** Starts a browser in the folder that is named, prints its process number, and stays. */
import { startBrowser } from '../../../shared/crawler/renderer/browser.ts';
import { findBrowser } from '../../../shared/crawler/renderer/find-browser.ts';

const { pid } = await startBrowser({
  program: findBrowser({ env: process.env })!,
  temporaryFolder: process.argv[2]!,
  hasSandbox: process.getuid?.() !== 0,
  startMs: 60_000,
});
console.log(pid);
