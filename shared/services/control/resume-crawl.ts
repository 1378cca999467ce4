/** Sets a crawl running that was paused, stopped or limited, or is finished. */
import { planResume, storeResume } from '../begin/plan-resume.ts';
import { sendLostSeeds } from '../begin/send-seeds.ts';
import { orRefused } from './as-refusal.ts';
import { checkLimitBounds } from './check-bounds.ts';
import { configOf } from './config-of.ts';
import type { Control } from './control.ts';
import type { ControlEngine } from './control-engine.ts';
import {
  boundedSettings,
  checkBounded,
  checkEndless,
  checkRoom,
  type DeployerLimits,
  pauseIfFull,
} from './deployer-limits.ts';
import { checkKept, checkRules, createFinder } from './find-crawl.ts';
import { type ControlPolicy, checkRefused } from './plan-request.ts';
import { checkLimits, checkNotAtLimit, resumable } from './resume-limits.ts';

export interface ResumeDeps {
  readonly engine: Pick<ControlEngine, 'registry' | 'exchange' | 'wakeAll' | 'spentToday'>;
  readonly limits: DeployerLimits;
  /** As in `ControlPolicy`. */
  readonly refuses?: ControlPolicy['refuses'];
}

/** Safe to repeat. Throws `ControlError` for a crawl that cannot be resumed, or not with these limits. */
export async function resumeCrawl(
  { engine, limits: allowed, refuses = {} }: ResumeDeps,
  ...[crawl, given = {}, options = {}]: Parameters<Control['resume']>
): Promise<void> {
  const { registry } = engine;
  const asked = checkLimits(given);
  checkRefused(asked, undefined, refuses);
  checkLimitBounds(asked);
  checkBounded(asked, allowed);
  const record = await createFinder(registry).recordOf(crawl);
  if (!options.newUrlRules) checkRules(crawl, record);
  checkKept(crawl, record);
  // A limit may be newer than the crawl.
  const bounded = resumable(boundedSettings({ ...configOf(crawl, record), ...asked }, allowed));
  const plan = orRefused(() => planResume(crawl, record, { ...asked, ...bounded }));
  const { config } = plan;
  checkEndless('maxCost', config, allowed);
  const totals = await registry.totals(crawl);
  checkNotAtLimit(config, totals);
  await checkRoom(engine, crawl, allowed);
  await storeResume(registry, plan);
  const number = await registry.resume(crawl);
  const full = await pauseIfFull(engine, crawl, allowed);
  if (full) throw full;
  await sendLostSeeds(engine, crawl, record, { hosts: totals.hosts, config });
  await engine.wakeAll(crawl, number);
}
