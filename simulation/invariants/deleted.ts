import type { Violation } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { mayHaveLostTurns } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';
import { CALLS_MS, FAULTS_MS, HEARD_MS } from './not-running.ts';

/**
 * Nothing is requested of a deleted crawl from three seconds after the deletion was stored on, and nothing of it is
 * left in tables and bucket at the end, but for the note of the deletion and an archive that was to stay. A process
 * that froze before its request is excused for four minutes. If a clock was set forward, data may be deleted while a
 * worker still writes.
 */
export function deleted({ deletion, strikes }: Pick<Facts, 'deletion' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('deleted');
  if (!deletion) return findings.list;
  const { id, stoppedAt = Infinity, isDone, requests, left } = deletion;
  const isSlow = mayHaveLostTurns({ strikes });
  for (const { url, host, startedAt, process } of requests) {
    const lateMs = startedAt - stoppedAt;
    if (lateMs <= HEARD_MS + CALLS_MS) continue;
    findings.add(
      `${id} was deleted ${since(stoppedAt)}, and ${process} requested ${url} ${seconds(lateMs)} later; expected none after ${seconds(HEARD_MS)}`,
      { host, at: startedAt, excuse: isSlow && lateMs <= FAULTS_MS ? 'lateHearing' : undefined },
    );
  }
  if (!isDone) findings.add(`${id} was not deleted within a day`);
  else
    for (const key of left)
      findings.add(`${id} is deleted, and ${key} is still there`, {
        excuse: strikes.clockStepped > 0 ? 'wrongClock' : undefined,
      });
  return findings.list;
}
