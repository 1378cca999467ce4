import type { Violation, World } from '../spec.ts';
import { announcedOnce } from './announced-once.ts';
import { counted, requestsCounted } from './counted.ts';
import type { Facts } from './facts.ts';
import { gatherFacts } from './gather-facts.ts';
import { givenUp } from './given-up.ts';
import { limitsKept } from './limits-kept.ts';
import { nothingLost } from './nothing-lost.ts';
import { oneChain } from './one-chain.ts';
import { oneState } from './one-state.ts';
import { requestsApart } from './requests-apart.ts';
import { readRobotsLog } from './robots-answers.ts';
import { robotsObeyed } from './robots-obeyed.ts';
import { ends, noCrash, noDeadLetters } from './run-ended.ts';
import { triesKept } from './tries-kept.ts';
import { readVisits } from './visits.ts';

/** What the world has broken of what the crawler promises; mostly nothing. Takes no virtual time. */
export async function checkWorld(world: World): Promise<Violation[]> {
  return checkFacts(await gatherFacts(world));
}

/** The same of facts, wherever they are from. */
export function checkFacts(facts: Facts): Violation[] {
  const robots = readRobotsLog(facts);
  const visits = readVisits(facts, robots);
  return [
    ...ends(facts),
    ...oneState(facts),
    ...nothingLost(facts),
    ...announcedOnce(facts),
    ...counted(facts),
    ...requestsCounted(facts, visits),
    ...requestsApart(facts, robots),
    ...robotsObeyed(facts, robots),
    ...triesKept(facts, visits, robots),
    ...givenUp(facts, visits, robots),
    ...limitsKept(facts),
    ...oneChain(facts),
    ...noDeadLetters(facts),
    ...noCrash(facts),
    ...facts.seen,
  ];
}
