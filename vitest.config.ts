import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    // Each file in a process of its own: tests open sockets, SQLite files and temporary folders.
    pool: 'forks',
  },
});
