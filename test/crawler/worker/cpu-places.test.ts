import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CpuPlaces } from '../../../shared/crawler/worker/cpu-places.ts';

const OPTIONS = { cpuShare: 0.7, maxHosts: 300, minRoom: 10 };

/** A worker that serves `hosts` while it has places for them; each wants `perHost` of a CPU, of which it gets what there is. */
function workerOf({ perHost, hosts = 300, options = OPTIONS }: WorkerLoad) {
  const places = new CpuPlaces(options);
  let at = 0;
  let cpuMs = 0;
  const state = { perHost, hosts, places };
  return {
    ...state,
    /** Returns the places after these minutes of loads, one each 5 s. */
    after(minutes: number, load: { perHost?: number; hosts?: number } = {}): number {
      Object.assign(state, load);
      for (let look = 0; look < minutes * 12; look++) {
        const served = Math.min(state.hosts, places.places);
        at += 5000;
        cpuMs += 5000 * Math.min(options.cpuShare, served * state.perHost);
        places.note({ at, hosts: served, cpuMs });
      }
      return places.places;
    },
  };
}

interface WorkerLoad {
  perHost: number;
  hosts?: number;
  options?: typeof OPTIONS;
}

describe('a worker whose CPU is used up', () => {
  test('has all its places for a minute, then fewer', () => {
    const worker = workerOf({ perHost: 0.7 / 300 });
    expect(worker.after(1)).toBe(300);
    expect(worker.after(0.25)).toBe(225);
  });

  test('ends with the hosts that use four fifths of the CPU, however much each needs', () => {
    for (const share of [0.85, 1, 1.5, 3]) {
      const worker = workerOf({ perHost: (0.7 * share) / 300 });
      const places = worker.after(20);
      const used = places * (share / 300);
      expect(used, `each host needs ${share / 300} of its CPU`).toBeGreaterThan(0.55);
      expect(used).toBeLessThanOrEqual(0.8);
      expect(worker.after(20)).toBe(places);
    }
  });

  test('always has places for some', () => {
    expect(workerOf({ perHost: 0.7 }).after(30)).toBe(10);
  });

  test('has its places again, one after the other, when hosts need less', () => {
    const worker = workerOf({ perHost: 0.7 / 150 });
    const low = worker.after(20);
    expect(low).toBeLessThan(130);
    const raised = worker.after(1, { perHost: 0.7 / 3000 });
    expect(raised).toBeGreaterThan(low);
    expect(raised).toBeLessThanOrEqual(Math.ceil(low * 1.25));
    expect(worker.after(20)).toBe(300);
  });

  test('keeps its few places while it has no hosts: that says nothing of the next ones', () => {
    const worker = workerOf({ perHost: 0.7 / 100 });
    const low = worker.after(20);
    expect(worker.after(5, { hosts: 0 })).toBe(low);
  });
});

test.each([0.1, 0.5, 0.79])('a worker that uses %d of its CPU has all its places', (share) => {
  expect(workerOf({ perHost: (OPTIONS.cpuShare * share) / 300 }).after(30)).toBe(300);
});

test('places are between the least and the most, whatever was used', () => {
  const load = fc.record({ ms: fc.nat(90_000), cpuMs: fc.nat(200_000), hosts: fc.nat(400) });
  fc.assert(
    fc.property(fc.array(load, { maxLength: 60 }), (loads) => {
      const cpu = new CpuPlaces(OPTIONS);
      const sum = { at: 0, cpuMs: 0 };
      for (const { ms, cpuMs, hosts } of loads) {
        sum.at += ms;
        sum.cpuMs += cpuMs;
        cpu.note({ ...sum, hosts });
        expect(cpu.places).toBeGreaterThanOrEqual(10);
        expect(cpu.places).toBeLessThanOrEqual(300);
      }
    }),
  );
});
