import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

const CORES = availableParallelism();

const LOCALSTACK = {
  globalSetup: 'test/localstack/emulator/global-setup.ts',
  setupFiles: 'test/localstack/emulator/test-environment.ts',
  testTimeout: 120_000,
  hookTimeout: 120_000,
  pool: 'forks',
} as const;

/** Minutes, nearly all of them waiting for leases and wakers: beside the unit tests they cost no time. */
const WAITING = ['stack', 'stack-faults', 'parity'].map((name) => `test/localstack/${name}.test.ts`);

/** Folders of pure logic: their files share processes, which saves each of them half a second of CPU. */
const PURE = [
  ...['alike', 'archive', 'causes', 'content', 'control', 'crawl', 'crawl-state', 'estimate', 'frontier'],
  ...['http-api', 'identity', 'outputs', 'parser', 'recrawl', 'report', 'robots', 'routing', 'text', 'turn'],
  ...['url', 'usage', 'webhook', '../simulation/test/invariants', '../simulation/test/models'],
].map((folder) => join('test', folder, '**/*.test.ts'));

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'simulation/test/**/*.test.ts'],
          exclude: ['test/localstack/**', 'test/fuzz/**', ...PURE],
          globalSetup: 'test/conformance/global-setup.ts',
          // Some simulate many worlds: 13 s of CPU, several times that beside others.
          testTimeout: 60_000,
          // Some begin with a whole crawl.
          hookTimeout: 60_000,
          // Each file in a process of its own: tests open sockets, SQLite files and temporary folders.
          pool: 'forks',
          // Vitest's default leaves one core to itself. Two more for the tests that wait.
          maxWorkers: CORES + 2,
        },
      },
      {
        test: {
          name: 'unit-pure',
          include: PURE,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          isolate: false,
          maxWorkers: CORES + 2,
        },
      },
      {
        test: { ...LOCALSTACK, name: 'localstack-waiting', include: WAITING, maxWorkers: CORES + 2 },
      },
      {
        test: {
          ...LOCALSTACK,
          name: 'localstack',
          include: ['test/localstack/**/*.test.ts'],
          exclude: WAITING,
          // Tests of a deployed stack wait most of the time.
          maxWorkers: CORES + 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          setupFiles: 'test/fuzz/low-priority.ts',
          // A target has its seconds of CPU, on a machine that is busy, and then is made smaller what was found.
          testTimeout: 600_000,
          pool: 'forks',
          // Beside the tests of the emulator, which mostly wait.
          maxWorkers: CORES + 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
