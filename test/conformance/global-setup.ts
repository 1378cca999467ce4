/** Says once in each test run, at its end, if the published conformance cases were not there to be asked. */
import { arePresent, SKIPPED } from './cases.ts';

export function teardown(): void {
  if (!arePresent) console.warn(SKIPPED);
}
