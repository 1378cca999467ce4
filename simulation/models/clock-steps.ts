/** When a machine's clock is set, and by how much, where the fault `clockStepped` strikes its process. */
import type { Faults } from './faults.ts';
import type { ClockStep } from './process.ts';

const MIN_STEP_MS = 10_000;
const MAX_STEP_MS = 26 * 3_600_000;
/** The step comes within this time after the process has begun, mostly early. */
const MAX_BEFORE_MS = 600_000;
/** The share of wrong clocks that are corrected, and the time within which that happens. */
const CORRECTED = 0.7;
const MAX_WRONG_MS = 900_000;

/** One step, and often one back. Small and large ones alike. */
export function drawClockSteps(faults: Faults, bornAt: number): ClockStep[] {
  const random = () => faults.random('clockStepped');
  const size = MIN_STEP_MS * (MAX_STEP_MS / MIN_STEP_MS) ** random();
  const byMs = Math.round(random() < 0.5 ? -size : size);
  const at = bornAt + Math.floor(random() ** 2 * MAX_BEFORE_MS);
  const isCorrected = random() < CORRECTED;
  const wrongMs = Math.ceil(random() ** 2 * MAX_WRONG_MS);
  return [{ at, byMs }, ...(isCorrected ? [{ at: at + wrongMs, byMs: -byMs }] : [])];
}
