import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
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
          // The emulator itself wants a core or two. After the other project, not beside it.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          // A target has its seconds of CPU, on a machine that may be slow, and then is made smaller what was found.
          testTimeout: 300_000,
          pool: 'forks',
          // It measures CPU: after all others, one file at a time.
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
