import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Processes, not threads: tests change limits of their own process and start threads of their own.
    pool: 'forks',
    testTimeout: 30_000,
  },
});
