import type { Violation } from '../worlds/spec.ts';
import { type Facts, mayHaveHidden, TURN_LOSING_OTHERS } from './facts.ts';
import { createFindings, seconds, since } from './findings.ts';

type UsedFacts = Pick<Facts, 'crawls' | 'crowd' | 'strikes' | 'leaseMs' | 'now'>;

/** For the start of a worker, by messages that come late; and the waker's next run, if one was lost. */
const START_MS = 100_000;

/**
 * No crawl waits long for the pages of another one: a host that was woken is served after one turn of another host, and
 * after one lease more if pages kill workers. Where other faults strike, it is unknown what a host waits for.
 */
export function servedApart(facts: UsedFacts): readonly Violation[] {
  const findings = createFindings('servedApart');
  const { pageHarms, ...others } = facts.strikes;
  const isHidden = mayHaveHidden({ strikes: { ...others, pageHarms: 0 } });
  if (isHidden || TURN_LOSING_OTHERS.some((name) => facts.strikes[name] > 0)) return findings.list;
  const turnMs = Math.max(...facts.crawls.map(({ config }) => config.turnMaxMs + config.totalTimeoutMs));
  const mostMs = START_MS + turnMs + (pageHarms > 0 ? facts.leaseMs : 0);
  for (const { crawl, doneAt, servedAt = facts.now, need } of facts.crowd?.needy ?? []) {
    if (need !== 'wake' || doneAt === undefined || servedAt - doneAt <= mostMs) continue;
    findings.add(
      `the host of ${crawl} was woken ${since(doneAt)}, and served ${seconds(servedAt - doneAt)} later; expected ${seconds(mostMs)} at most`,
      { at: servedAt },
    );
  }
  return findings.list;
}
