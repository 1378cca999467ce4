import { describe, expect, test } from 'vitest';
import { InvalidConfig } from '../../../../shared/core/crawl/config.ts';
import { maxOpenFiles, planFiles } from '../../../../shared/engines/local/session/plan-files.ts';

const CONFIG = { hosts: 250, perHost: 1, overrides: [] };

describe('with a limit of open files', () => {
  test.each([64, 128, 256, 1024, 20_000])('of %i, a socket for each host served fits into it', (limit) => {
    for (const threads of [1, 2]) {
      for (const perHost of [1, 2]) {
        if (limit === 64 && threads + perHost > 2) continue;
        const { hosts, sockets } = planFiles(limit, { ...CONFIG, perHost }, threads);
        expect(hosts).toBeGreaterThan(0);
        expect(sockets).toBeGreaterThanOrEqual(hosts * perHost);
        // About 30 are open in a process that does nothing, and 9 more in each thread.
        expect(30 + 9 * threads + sockets).toBeLessThan(limit);
      }
    }
  });

  test('that is large, there are as many hosts as wanted, and 900 sockets', () => {
    expect(planFiles(4096, CONFIG, 1)).toEqual({ hosts: 250, sockets: 900 });
    expect(planFiles(undefined, CONFIG, 1)).toEqual({ hosts: 250, sockets: 900 });
  });

  test('the host that may have the most connections counts', () => {
    const overrides = [{ hosts: ['a.test'], perHost: 8 }];
    const { hosts, sockets } = planFiles(256, { ...CONFIG, overrides }, 1);
    expect(hosts * 8).toBeLessThanOrEqual(sockets);
    expect(sockets).toBeLessThan(256);
  });

  test('that is too small for any crawl, says so', () => {
    expect(() => planFiles(40, CONFIG, 1)).toThrow(InvalidConfig);
    expect(() => planFiles(40, CONFIG, 1)).toThrow(/ulimit -n.*got 40/);
  });
});

test('the limit of this process is known', () => {
  expect(maxOpenFiles() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(60);
});
