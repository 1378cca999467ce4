import { beforeEach, describe, expect, test, vi } from 'vitest';

const inspector = vi.hoisted(() => ({ isMissing: false }));
vi.mock('node:inspector', async (original) => {
  const { Session } = await original<typeof import('node:inspector')>();
  return {
    Session: class extends Session {
      override connect() {
        if (inspector.isMissing) throw new Error('There is no inspector');
        super.connect();
      }
    },
  };
});

/** For what ends by itself, and begins late on a busy machine. */
const PATIENT_MS = 60_000;

describe.each([
  ['the inspector', false],
  ['a thread, where there is no inspector,', true],
])('by %s a call', (_, isMissing) => {
  let cutOffAfter: typeof import('../../../shared/services/hooks/cut-off.ts').cutOffAfter;
  beforeEach(async () => {
    inspector.isMissing = isMissing;
    vi.resetModules();
    ({ cutOffAfter } = await import('../../../shared/services/hooks/cut-off.ts'));
  });

  test('gives what it gives, and throws what it throws', () => {
    const given = {};
    const thrown = new Error('mine');
    expect(cutOffAfter(PATIENT_MS, () => given)).toBe(given);
    expect(cutOffAfter(PATIENT_MS, () => undefined)).toBeUndefined();
    expect(() =>
      cutOffAfter(PATIENT_MS, () => {
        throw thrown;
      }),
    ).toThrow(thrown);
  });

  test('that does not end is cut off, whatever it catches, and the next one runs', () => {
    const endless = () => {
      for (;;) {
        try {
          for (;;);
        } catch {}
      }
    };
    expect(() => cutOffAfter(20, endless)).toThrow('Took longer than 20 ms');
    expect(cutOffAfter(PATIENT_MS, () => 7)).toBe(7);
  });
});
