import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingHosts, RecentLoad, smallWorkerOf } from '../../../shared/crawler/worker/small-worker.ts';
import { STACK_POOL_DEFAULTS } from '../../../shared/engines/aws/settings.ts';

const MEMORY = { smallWorkerMemoryMb: 512, workerMemoryMb: 1280, hostsPerWorker: 300 };
const SMALL = smallWorkerOf(MEMORY)!;

describe('the small worker of a stack', () => {
  test('serves half of the hosts that its memory would be worth in a full-size one', () => {
    expect(SMALL).toEqual({ memoryMb: 512, maxHosts: 60 });
    expect(smallWorkerOf(STACK_POOL_DEFAULTS)).toEqual(SMALL);
  });

  test('is none if the stack wants none, or one that is not smaller', () => {
    expect(smallWorkerOf({ ...MEMORY, smallWorkerMemoryMb: 0 })).toBeUndefined();
    expect(smallWorkerOf({ ...MEMORY, smallWorkerMemoryMb: undefined })).toBeUndefined();
    expect(smallWorkerOf({ ...MEMORY, smallWorkerMemoryMb: 1280 })).toBeUndefined();
  });

  test('takes a host in any stack, and never more than a full-size one', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 500 }),
        (a, b, hosts) => {
          const small = smallWorkerOf({ smallWorkerMemoryMb: a, workerMemoryMb: b, hostsPerWorker: hosts });
          if (!small) return;
          expect(small.maxHosts).toBeGreaterThanOrEqual(1);
          expect(small.maxHosts).toBeLessThanOrEqual(hosts);
          expect(fittingHosts(small)).toBeGreaterThanOrEqual(1);
          expect(fittingHosts(small)).toBeLessThanOrEqual(small.maxHosts);
        },
      ),
    );
  });
});

/** A load each 5 s for so long, with these hosts and this share of a CPU. */
function loadOf(
  seconds: number,
  hosts: number,
  cpuShare: number,
  load = new RecentLoad(),
  from = 0,
): RecentLoad {
  for (let s = from; s <= from + seconds; s += 5)
    load.note({ at: s * 1000, hosts, cpuMs: s * 1000 * cpuShare });
  return load;
}

describe('a load', () => {
  const fitting = fittingHosts(SMALL);

  test('fits a small worker after a minute with few hosts and little CPU', () => {
    expect(loadOf(55, fitting, 0.1).fits(SMALL)).toBe(false);
    expect(loadOf(55, fitting, 0.1).couldBe(SMALL)).toBe(true);
    expect(loadOf(60, fitting, 0.1).fits(SMALL)).toBe(true);
    expect(loadOf(60, fitting + 1, 0.1).fits(SMALL)).toBe(false);
    expect(loadOf(60, fitting + 1, 0.1).couldBe(SMALL)).toBe(false);
  });

  test('that takes more than two fifths of its CPU, which is 0.29 of one, does not fit', () => {
    expect(loadOf(60, 1, 0.115).fits(SMALL)).toBe(true);
    expect(loadOf(60, 1, 0.117).fits(SMALL)).toBe(false);
  });

  test('fits a minute after the last time at which there were more hosts', () => {
    const load = loadOf(300, 100, 0.1);
    expect(loadOf(50, 5, 0.1, load, 305).fits(SMALL)).toBe(false);
    expect(loadOf(10, 5, 0.1, load, 360).fits(SMALL)).toBe(true);
  });

  test('exceeds a small worker when it has used four fifths of its CPU for a minute', () => {
    expect(loadOf(55, 5, 0.28).exceeds(SMALL)).toBe(false);
    expect(loadOf(60, 5, 0.235).exceeds(SMALL)).toBe(true);
    expect(loadOf(60, 5, 0.23).exceeds(SMALL)).toBe(false);
    // It was busy long ago.
    expect(loadOf(65, 5, 0.1, loadOf(60, 5, 0.28), 65).exceeds(SMALL)).toBe(false);
  });

  test('of a worker that has just begun could be that of a small one', () => {
    const load = new RecentLoad();
    load.note({ at: 1000, hosts: 0, cpuMs: 900 });
    expect([load.couldBe(SMALL), load.fits(SMALL), load.exceeds(SMALL)]).toEqual([true, false, false]);
  });
});
