/** Whether one process of a world has ended as it is documented (docs/local.md, "When the disk fails"). */
import type { Leg, World } from './world.ts';

/** The remedies in the messages about a failed disk (`shared/core/base/storage-failed.ts`). */
const REMEDIES =
  /Free some space|Check the disk|Raise the limit \(ulimit|See that it is there|Allow it, or use another folder|Put it back|Put back what was there/;
/** The messages about a thread that has died or hangs. */
const SAYS_HARM = /died|blocked/;
/** Requests to a host that may be in flight when the disk fails, until all of the process knows. */
const LATE_REQUESTS_A_HOST = 2;

export function judgeLeg(world: World, leg: Leg): string[] {
  const which = `process ${world.legs.indexOf(leg) + 1} (${leg.verb})`;
  return problemsOf(world, leg).map((problem) => `${which} ${problem}`);
}

function problemsOf(world: World, leg: Leg): string[] {
  const { strike, code, signal, err, wasStruck } = leg;
  const kills = strike !== undefined && /^(kill|tear)/.test(strike.fault.kind);
  if (kills && wasStruck) return signal === 'SIGKILL' ? [] : [`was not killed, but ended with ${code}`];
  if (signal !== null) return [`did not end by itself: ${signal}. ${err.trim()}`];
  if (world.harmedBy() !== undefined && !SAYS_HARM.test(err))
    return [`says nothing of the thread: ${err.trim()}`];
  if (code === (world.scenario.maxPages === undefined ? 0 : 3)) return [];
  if (code !== 1) return [`ended with exit code ${code}: ${err.trim()}`];
  if (!wasStruck) return [`failed without a fault: ${err.trim()}`];
  return [...wrongWords(leg), ...lateRequests(world, leg)];
}

function wrongWords({ err, holdsCrawl }: Leg): string[] {
  const problems: string[] = [];
  const message = /^strand: .*$/m.exec(err)?.[0];
  if (message === undefined) return [`failed without saying why: ${err.trim()}`];
  if (!REMEDIES.test(message)) problems.push(`says no remedy: ${message}`);
  if (/^\s+at .*[:(]\S+:\d+:\d+/m.test(err)) problems.push(`shows a stack for a failed disk: ${err.trim()}`);
  if (holdsCrawl && !/Then continue with: .*resume/.test(message))
    problems.push(`does not say how to continue: ${message}`);
  return problems;
}

/** A process whose disk fails asks no host again. */
function lateRequests({ running }: World, leg: Leg): string[] {
  const failure = leg.calls.find(({ hasFault }) => hasFault);
  if (!failure) return [];
  const late = running.log.filter(({ startedAt }) => startedAt > failure.at && startedAt < leg.endedAt);
  const most = LATE_REQUESTS_A_HOST * running.web.hosts.length;
  return late.length <= most ? [] : [`requested ${late.length} URLs after its disk had failed`];
}
