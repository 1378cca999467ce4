import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

const CORES = availableParallelism();
/** Tests of a deployed stack wait most of the time, and the fuzzer takes the CPU time that they leave. */
const WAITING = { maxWorkers: CORES + 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/localstack/**', 'test/fuzz/**'],
          globalSetup: 'test/conformance/global-setup.ts',
          testTimeout: 30_000,
          // Each file in a process of its own: tests open sockets, SQLite files and temporary folders.
          pool: 'forks',
          // Vitest's default leaves one core to itself.
          maxWorkers: CORES,
        },
      },
      {
        test: {
          name: 'localstack',
          include: ['test/localstack/**/*.test.ts'],
          globalSetup: 'test/localstack/emulator/global-setup.ts',
          setupFiles: 'test/localstack/emulator/test-environment.ts',
          testTimeout: 120_000,
          hookTimeout: 120_000,
          pool: 'forks',
          ...WAITING,
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
          ...WAITING,
        },
      },
    ],
  },
});
