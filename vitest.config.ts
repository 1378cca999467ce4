import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/**
 * Of all projects together. The longest tests of the emulator, which begin first, wait most of the time; Vitest's default leaves
 * one core to itself.
 */
const maxWorkers = availableParallelism() + 3;

// Programs that tests start, and the emulator's functions, take half as long to start with their code compiled.
// Crawls that tests begin are marked by a key of their own, and not by that of the developer.
process.env.XDG_CONFIG_HOME = join(import.meta.dirname, 'node_modules/.cache/config');
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

const UNIT = {
  // The emulator goes first: its tests mostly wait, and end late if it is slow to answer.
  setupFiles: 'test/lower-priority.ts',
  // Some simulate many worlds: 13 s of CPU, many times that on a machine that does more. Some begin with a whole crawl.
  testTimeout: 300_000,
  hookTimeout: 300_000,
} as const;

/**
 * Folders whose files share processes, which saves each of them half a second of CPU: they keep no state of the process. Others kill
 * processes, count open files, read the time of the process, or change what all modules see.
 */
const TOGETHER = [
  ...['api', 'cdk', 'cli', 'contract', 'functions', 'localstack-harness', 'web'],
  ...['alike', 'archive', 'causes', 'content', 'crawl', 'frontier', 'identity', 'media'].map(
    (room) => `core/${room}`,
  ),
  ...['parser', 'recrawl', 'render', 'robots', 'text', 'url', 'usage'].map((room) => `core/${room}`),
  ...['crawl-state', 'fetcher', 'routing', 'turn', 'worker'].map((room) => `crawler/${room}`),
  ...['control', 'hooks', 'http-api', 'outputs', 'project', 'report', 'webhook'].map(
    (room) => `services/${room}`,
  ),
  ...['aws', 'local/archive', 'local/cache', 'local/session', 'local/site-folder'].map(
    (room) => `engines/${room}`,
  ),
  ...['coverage', 'invariants', 'models', 'web', 'worlds'].map((folder) => `../simulation/test/${folder}`),
].map((folder) => join('test', folder, '**/*.test.ts'));

/** `npm run test:slow` runs them: files that need more than some 10 s of CPU, of whose kind `npm test` has others. */
const SLOW = '**/*.slow.test.ts';

const LOCALSTACK = {
  globalSetup: 'test/localstack/emulator/global-setup.ts',
  setupFiles: 'test/localstack/emulator/test-environment.ts',
  // A quarter of an hour: beside all other tests they take up to ten times as long as by themselves.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  pool: 'forks',
  maxWorkers,
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Node runs the sources as they are, as for users; Vite's transformation costs a tenth of the CPU, and hides what Node refuses.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        test: {
          name: 'localstack',
          include: ['test/localstack/**/*.test.ts'],
          exclude: [SLOW],
          ...LOCALSTACK,
        },
      },
      {
        test: {
          name: 'slow-localstack',
          include: [`test/localstack/${SLOW}`],
          ...LOCALSTACK,
        },
      },
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'simulation/test/**/*.test.ts'],
          exclude: [SLOW, 'test/localstack/**', 'test/fuzz/**', ...TOGETHER],
          globalSetup: 'test/conformance/global-setup.ts',
          ...UNIT,
          // Each file in a process of its own: tests open sockets, SQLite files and temporary folders.
          pool: 'forks',
          maxWorkers,
        },
      },
      {
        test: {
          name: 'unit-together',
          include: TOGETHER,
          exclude: [SLOW],
          ...UNIT,
          pool: 'forks',
          isolate: false,
          maxWorkers,
        },
      },
      {
        test: {
          name: 'slow',
          include: [`test/${SLOW}`, `simulation/test/${SLOW}`],
          exclude: ['test/localstack/**'],
          ...UNIT,
          pool: 'forks',
          maxWorkers,
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          exclude: [SLOW],
          setupFiles: 'test/fuzz/low-priority.ts',
          // A target has its seconds of CPU, on a machine that is busy, and then is made smaller what was found.
          testTimeout: 600_000,
          pool: 'forks',
          maxWorkers,
        },
      },
    ],
  },
});
