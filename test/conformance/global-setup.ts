/** Says once, at the end of a test run, if the published conformance cases were missing. */
import { arePresent, SKIPPED } from './cases.ts';

export function teardown(): void {
  if (!arePresent) console.warn(SKIPPED);
}
