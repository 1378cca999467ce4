/**
 * Flags of V8, for all threads of a process. Call these functions when the modules of a command are loaded: with other
 * flags V8 takes no code that was compiled before, neither that of Node's own modules, of which a thread loads a hundred,
 * nor that of Node's cache. Before that, they cost 0.09 s of CPU in a crawl of two pages.
 */
import { setFlagsFromString } from 'node:v8';

/** The start of a command is over by then. */
const STARTED_MS = 2000;

/**
 * Calls `tune` when a command has probably loaded what it needs: its thread has sent a first message, or some time is over. The
 * process does not wait for it.
 */
export function tuneWhenStarted(tune: () => void): void {
  process.once('worker', (thread) => thread.once('message', tune));
  setTimeout(tune, STARTED_MS).unref();
}

/**
 * Measured on pages of 50 KB, in crawls of ten to twenty seconds: the first two together 6 % less CPU, the third another
 * 3 to 5 %.
 *
 * - Allocation-site pretenuring puts objects of some call sites straight into old space, where they keep whole pages
 *   alive until the next major GC. A crawl's objects live as long as a page or a turn, which is just long enough to be
 *   pretenured: 75 KB of each page were promoted, and 7 KB are without pretenuring.
 * - A semi-space has 1 MB at first, and doubles each time that enough objects survive: some twenty scavenges, each of
 *   which promotes the objects in progress.
 * - V8 starts a major GC when the rest of the heap would not hold all of new space (64 MB): with a heap of some 100
 *   MB, each time that a third of it is used. Now it starts when most of it is used: 5 major GCs instead of 21.
 *
 * The parser of HTTP is a WebAssembly function that takes 60 ms to optimize. By default that is done at once, for
 * the heads of two responses, and now after some hundred.
 */
export function tuneV8(): void {
  setFlagsFromString('--wasm-tiering-budget=1000000000');
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--semi-space-growth-factor=16');
  setFlagsFromString('--incremental-marking-soft-trigger=85');
  setFlagsFromString('--incremental-marking-hard-trigger=95');
}

/**
 * Call it instead of {@link tuneV8} for a command that passes on what it reads: new space stays as small as it is. Measured
 * with 50,000 URLs of sitemaps: 150 MB instead of 250, and the same CPU.
 */
export function tuneV8ForLittleMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For a crawl, besides {@link tuneV8}: the compilers' threads take a quarter less CPU. Measured in crawls of 5,000 and 20,000 pages:
 * 2 % of all CPU in five pairs, 7 % in one.
 *
 * - Code that runs once a page is fully optimized after 30,000 pages instead of 3,000, since that takes more time than a
 *   crawl of some minutes gains by it; code that runs for each link or letter still is optimized within seconds.
 * - A function that is optimized takes in a third of the code of those that it calls.
 */
export function tuneV8ForCrawl(): void {
  setFlagsFromString('--invocation-count-for-turbofan=30000');
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=300');
}
