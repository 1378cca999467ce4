import type { Violation, World } from '../worlds/spec.ts';
import { accountsKept, signedIn, withoutMembers } from './accounts-kept.ts';
import { addressPace } from './address-pace.ts';
import { announcedOnce } from './announced-once.ts';
import { bestFirst } from './best-first.ts';
import { budgetKept } from './budget-kept.ts';
import { byteRateKept } from './byte-rate-kept.ts';
import { canonicalCopies } from './canonical-copies.ts';
import { capturesKept } from './captures-kept.ts';
import { changesSent } from './changes-sent.ts';
import { configured } from './configured.ts';
import { counted, recounted, requestsCounted } from './counted.ts';
import { crawlRateKept } from './crawl-rate-kept.ts';
import { deleted } from './deleted.ts';
import { depthTrue } from './depth-true.ts';
import { domainBudget } from './domain-budget.ts';
import { endsRightly } from './ends-rightly.ts';
import { endsSent } from './ends-sent.ts';
import type { CrawlFacts, Facts } from './facts.ts';
import { firstPass } from './first-pass.ts';
import { gatherFacts, totalsOf } from './gather-facts.ts';
import { givenUp } from './given-up.ts';
import { goneAndBack } from './gone-and-back.ts';
import { harmBounded } from './harm-bounded.ts';
import { hoursKept } from './hours-kept.ts';
import { itemsOnce } from './items-once.ts';
import { limitsKept } from './limits-kept.ts';
import { lookedAt } from './looked-at.ts';
import { nearDuplicates } from './near-duplicates.ts';
import { noGarbage } from './no-garbage.ts';
import { notRunning } from './not-running.ts';
import { nothingLost } from './nothing-lost.ts';
import { onSchedule } from './on-schedule.ts';
import { onTime } from './on-time.ts';
import { oneChain } from './one-chain.ts';
import { oneState } from './one-state.ts';
import { partsApart } from './parts-apart.ts';
import { passwordsKept } from './passwords-kept.ts';
import { pastLimits } from './past-limits.ts';
import { purposeKept } from './purpose-kept.ts';
import { refetched } from './refetched.ts';
import { refusalsKept } from './refusals-kept.ts';
import { rendered } from './rendered.ts';
import { requestsApart } from './requests-apart.ts';
import { rested } from './rested.ts';
import { type RobotsLog, readRobotsLog } from './robots-answers.ts';
import { robotsObeyed } from './robots-obeyed.ts';
import { ends, noCrash, noDeadLetters, startedForWork } from './run-ended.ts';
import { servedApart } from './served-apart.ts';
import { soft404 } from './soft-404.ts';
import { stateOnce } from './state-once.ts';
import { templateQuota } from './template-quota.ts';
import { trapsEnd } from './traps-end.ts';
import { triesKept } from './tries-kept.ts';
import { type HostVisits, readVisits, visitsOfPages } from './visits.ts';

/**
 * Returns the broken promises of the crawler in the world; usually none. The counters are recounted
 * afterwards.
 */
export async function checkWorld(world: World): Promise<Violation[]> {
  const facts = await gatherFacts(world);
  const crawls: CrawlFacts[] = [];
  for (const crawl of facts.crawls) {
    await world.recount(crawl.id);
    crawls.push({ ...crawl, recounted: totalsOf(world.cloud, crawl.id) });
  }
  return checkFacts({ ...facts, crawls });
}

/** The same of facts, wherever they are from. */
export function checkFacts(facts: Facts): Violation[] {
  const robots = readRobotsLog(facts);
  const visits = readVisits(facts);
  // Hosts do not distinguish the requests of a crawl that was deleted.
  const log = [...facts.web.log, ...(facts.deletion?.requests ?? [])];
  const withDeleted = { ...facts, web: { ...facts.web, log } };
  return [
    ...checkPages(facts, visits, robots),
    ...ends(facts),
    ...endsRightly(facts),
    ...lookedAt(facts),
    ...servedApart(facts),
    ...onTime(facts, visits),
    ...oneState(facts),
    ...announcedOnce(facts),
    ...counted(facts),
    ...recounted(facts),
    ...requestsCounted(facts, visits),
    ...itemsOnce(facts),
    ...stateOnce(facts),
    ...requestsApart(withDeleted, facts.deletion ? readRobotsLog(withDeleted) : robots),
    ...deleted(facts),
    ...addressPace(withDeleted),
    ...byteRateKept(facts),
    ...crawlRateKept(facts),
    ...hoursKept(facts),
    ...rested(facts, visits, robots),
    ...refusalsKept(facts, visits, robots),
    ...accountsKept(facts),
    ...signedIn(facts),
    ...passwordsKept(facts),
    ...purposeKept(facts),
    ...nearDuplicates(facts),
    ...harmBounded(facts),
    ...givenUp(withDeleted, visits, robots),
    ...notRunning(facts),
    ...noGarbage(facts),
    ...oneChain(facts),
    ...startedForWork(facts),
    ...noDeadLetters(facts),
    ...noCrash(facts),
    ...refetched(facts, visits, robots),
    ...onSchedule(facts, visits, robots),
    ...budgetKept(facts, visits, robots),
    ...capturesKept(facts, visits, robots),
    ...endsSent(facts),
    ...firstPass(facts),
    ...changesSent(facts),
    ...goneAndBack(facts, visits, robots),
    ...ofRendering(facts),
    ...facts.seen,
  ];
}

/** Judged without the requests of logins. */
function checkPages(all: Facts, visited: readonly HostVisits[], robots: RobotsLog): Violation[] {
  const facts = { ...all, web: { ...all.web, log: withoutMembers(all.web.log) } };
  const visits = all.members ? visited.map(visitsOfPages) : visited;
  return [
    ...nothingLost(facts, visits, robots),
    ...robotsObeyed(facts, robots, visits),
    ...depthTrue(facts, visits, robots),
    ...trapsEnd(facts, visits),
    ...soft404(facts, visits),
    ...canonicalCopies(facts, visits),
    ...triesKept(facts, visits, robots),
    ...limitsKept(facts),
    ...pastLimits(facts, robots),
    ...domainBudget(facts, robots),
    ...templateQuota(visits, robots),
    ...bestFirst(facts, visits, robots),
    ...configured(visits, robots),
  ];
}

const ofRendering = (facts: Facts): readonly Violation[] => [...rendered(facts), ...partsApart(facts)];
