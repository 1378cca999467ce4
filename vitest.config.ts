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

const TIMEOUTS = {
  // Some simulate many worlds: 13 s of CPU, many times that on a machine that does more.
  testTimeout: 180_000,
  // Some begin with a whole crawl.
  hookTimeout: 60_000,
} as const;

/** Minutes, nearly all of them waiting for leases and wakers: beside the unit tests they cost no time. */
const WAITING = ['stack', 'stack-faults', 'parity'].map((name) => `test/localstack/${name}.test.ts`);

/**
 * Folders whose files share processes, which saves each of them half a second of CPU: they keep no state of the process. Others kill
 * processes, count open files, read the time of the process, or change what all modules see.
 */
const TOGETHER = [
  ...['alike', 'api', 'archive', 'causes', 'cdk', 'cli', 'content'],
  ...['contract', 'control', 'crawl', 'crawl-state', 'engines/aws', 'estimate', 'fetcher'],
  ...['frontier', 'functions', 'hooks', 'http-api', 'identity', 'outputs'],
  ...['parser', 'recrawl', 'report', 'robots', 'routing', 'text', 'turn'],
  ...['url', 'usage', 'web', 'webhook', 'worker'],
  ...['../simulation/test/invariants', '../simulation/test/models'],
].map((folder) => join('test', folder, '**/*.test.ts'));

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'simulation/test/**/*.test.ts'],
          exclude: ['test/localstack/**', 'test/fuzz/**', ...TOGETHER],
          globalSetup: 'test/conformance/global-setup.ts',
          ...TIMEOUTS,
          // Each file in a process of its own: tests open sockets, SQLite files and temporary folders.
          pool: 'forks',
          // Vitest's default leaves one core to itself. Two more for the tests that wait.
          maxWorkers: CORES + 2,
        },
      },
      {
        test: {
          name: 'unit-together',
          include: TOGETHER,
          ...TIMEOUTS,
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
