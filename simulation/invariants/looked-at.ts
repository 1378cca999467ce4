import { MAX_SKEW_MS } from '../models/cloud.ts';
import { T0 } from '../models/virtual-time.ts';
import type { Need, NeedyCrawl } from '../worlds/crowd-needs.ts';
import type { Violation } from '../worlds/spec.ts';
import { type Facts, mayHaveHidden, wakerLagMs } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'crowd' | 'strikes' | 'now' | 'leaseMs' | 'hasLinkShards'>;

/** The waker looks each minute, and takes up to a minute; its clock may be 5 s off, and its start slow. */
const WAKER_MS = 130_000;
/** The index of due hosts rounds up a time of more than ten minutes ahead (`engines/aws/state/tables.ts`). */
const INDEX_FAR_MS = 300_000;
/** Looks that find a crawl quiet, where others keep the queues busy; or links go by shards. */
const SHARED_MS = 450_000;
const SHARDED_MS = 1_200_000;
/** Faults strike for so long from the beginning (`worlds/world.ts`): the waker may die in each run until then. */
const FAULTS_MS = 2_700_000;

/**
 * Each running crawl is looked at in its time, however many there are: its host that is due is woken, it ends at its limit, and
 * it is called finished when nothing is left. Not before its time either, but for clocks that are ahead.
 */
export function lookedAt(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('lookedAt');
  const { clockSkew, clockStepped } = facts.strikes;
  const mostEarlyMs = clockSkew > 0 ? 2 * MAX_SKEW_MS : 0;
  for (const one of facts.crowd?.needy ?? []) {
    const { crawl, need, at, doneAt } = one;
    if (doneAt !== undefined && at - doneAt > mostEarlyMs)
      findings.add(`${crawl} needed its ${need} ${since(at)}, and got it ${seconds(at - doneAt)} earlier`, {
        at: doneAt,
        excuse: clockStepped > 0 ? 'wrongClock' : undefined,
      });
    const lateMs = (doneAt ?? facts.now) - at;
    const mostMs = mostMsOf(one, facts);
    if (lateMs <= mostMs) continue;
    const struckMs = Math.max(0, T0 + FAULTS_MS - at) + mostMs + wakerLagMs(facts);
    findings.add(
      `${crawl} needed its ${need} ${since(at)}, and ${doneAt === undefined ? 'waits still' : 'got it'} ${seconds(lateMs)} later; expected ${seconds(mostMs)} at most`,
      {
        at: doneAt ?? facts.now,
        excuse: mayHaveHidden(facts) && lateMs <= struckMs ? 'lateEnd' : undefined,
      },
    );
  }
  return findings.list;
}

function mostMsOf({ need }: NeedyCrawl, { hasLinkShards }: UsedFacts): number {
  const extra: Record<Need, number> = {
    wake: INDEX_FAR_MS,
    limit: 0,
    end: WAKER_MS + (hasLinkShards ? SHARDED_MS : SHARED_MS),
  };
  return WAKER_MS + extra[need];
}
