import { describe, expect, test } from 'vitest';
import { createSteadyClock } from '../../shared/engines/steady-clock.ts';

const T0 = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

function machine() {
  let wall = T0;
  let monotonic = 5;
  const clock = createSteadyClock(
    () => wall,
    () => monotonic,
  );
  return {
    clock,
    pass(ms: number) {
      wall += ms;
      monotonic += ms;
    },
    set(ms: number) {
      wall += ms;
    },
  };
}

describe('the time of a process', () => {
  test('is the machine’s while nobody sets that', () => {
    const { clock, pass, set } = machine();
    pass(1500);
    expect(clock.now()).toBe(T0 + 1500);
    // Corrected little by little.
    set(-20);
    pass(1000);
    expect(clock.now()).toBe(T0 + 2480);
    expect(clock.takeStep()).toBe(0);
  });

  test('continues when the machine’s clock is set back, and reports by how much', () => {
    const { clock, pass, set } = machine();
    clock.now();
    pass(1000);
    set(-DAY_MS);
    expect(clock.now()).toBe(T0 + 1000);
    pass(500);
    expect(clock.now()).toBe(T0 + 1500);
    expect(clock.takeStep()).toBe(-DAY_MS);
    expect(clock.takeStep()).toBe(0);
  });

  test('follows when the clock is set forward, but first takes back what it has added', () => {
    const { clock, pass, set } = machine();
    set(-10_000);
    expect(clock.now()).toBe(T0);
    set(4000);
    pass(100);
    expect(clock.now()).toBe(T0 + 100);
    set(10_000);
    expect(clock.now()).toBe(T0 + 100 + 4000);
    expect(clock.takeStep()).toBe(4000);
    set(DAY_MS);
    expect(clock.now()).toBe(T0 + 100 + 4000 + DAY_MS);
    expect(clock.takeStep()).toBe(DAY_MS);
  });

  test('never goes back', () => {
    const { clock, pass, set } = machine();
    let last = clock.now();
    for (const [i, ms] of [-500, 300, -999, -5000, 7000, -86_400_000, 90_000_000, -1001].entries()) {
      set(ms);
      pass(i * 100);
      const now = clock.now();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  test('takes over the machine’s time where it is asked to follow', () => {
    const { clock, pass, set } = machine();
    set(-DAY_MS);
    expect(clock.now()).toBe(T0);
    clock.follow();
    pass(500);
    expect(clock.now()).toBe(T0 - DAY_MS + 500);
    expect(clock.takeStep()).toBe(-DAY_MS);
    expect(clock.takeStep()).toBe(0);
  });
});
