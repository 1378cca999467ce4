import type { FaultName } from '../models/faults.ts';
import type { Violation } from '../worlds/spec.ts';
import type { Facts } from './facts.ts';
import { createFindings, since } from './findings.ts';

/** All crawls have come to their end in time. */
export function ends({
  hasEnded,
  crawls,
  messages,
  now,
}: Pick<Facts, 'hasEnded' | 'crawls' | 'messages' | 'now'>) {
  const findings = createFindings('ends');
  if (!hasEnded) {
    const statuses = crawls.map(({ id, status = 'not there' }) => `${id} is ${status}`).join(', ');
    findings.add(`${since(now)}, ${statuses}, and ${messages.length} messages wait; expected the end`, {
      at: now,
    });
  }
  return findings.list;
}

/** Nothing was received so often, or understood so badly, that it was given up. */
export function noDeadLetters({
  deadLetters,
  misfits,
}: Pick<Facts, 'deadLetters' | 'misfits'>): readonly Violation[] {
  const findings = createFindings('noDeadLetters');
  const dead = new Set(deadLetters.map(({ body }) => body));
  for (const body of misfits)
    if (!dead.has(body))
      findings.add(`seeds for settings that their crawl does not have were taken in: ${body}`);
  for (const { queue, body } of deadLetters) {
    if (misfits.includes(body)) continue;
    const blank = body.indexOf(' ');
    const host = queue.endsWith('.fifo') && blank > 0 ? body.slice(0, blank) : undefined;
    findings.add(`${queue.split('/').at(-1)} holds ${body.slice(0, 200)}`, {
      ...(host !== undefined && { host }),
    });
  }
  return findings.list;
}

/**
 * In 60 worlds there were 1.3 starts of workers for each reason at most, where faults take most of the messages that start them.
 * A small worker is started by one of full size, which may do nothing else: each size is counted by itself.
 */
const STARTS_FOR_REASON = 3;
/** Each turn queue's workers of a world that ends soon. */
const STARTS_AT_ONCE = 20;

/**
 * A worker is started because a router or the waker has something for it, or for the host of a turn that has ended. One
 * that does nothing, and starts another one like it, would do so without end.
 */
export function startedForWork({
  invocations,
  crawls,
  deletion,
  crowd,
}: Pick<Facts, 'invocations' | 'crawls' | 'deletion' | 'crowd'>): readonly Violation[] {
  const findings = createFindings('startedForWork');
  const heads = [...crawls.flatMap(({ hosts }) => [...hosts.values()].map(({ heads }) => heads))];
  const others = crowd?.needy.length ?? 0;
  const turns = [...heads, ...(deletion?.heads.values() ?? [])].reduce(
    (sum, { length }) => sum + length,
    others,
  );
  const most = STARTS_AT_ONCE + STARTS_FOR_REASON * (invocations.router + invocations.waker + turns);
  const { worker, small, router, waker } = invocations;
  for (const [name, starts] of [
    ['Workers', worker],
    ['Small workers', small],
  ] as const)
    if (starts > most)
      findings.add(
        `${name} were started ${starts} times for ${turns} turns, ${router} runs of routers and ${waker} of the waker; expected ${most} at most`,
      );
  return findings.list;
}

/** Matches messages of programming errors, whatever the services do. */
const OF_PROGRAMMING =
  /TypeError|RangeError|ReferenceError|SyntaxError|AssertionError|undefined|Cannot read|is not a function|is not iterable|differs|corrupt|not there|was not taken|are taken and not settled/i;
/** These change what comes, and break nothing: no function may fail by them. */
const HARMLESS: readonly FaultName[] = [
  'messageTwice',
  'messageLate',
  'messageReordered',
  'messageLost',
  'deployed',
  'invokedTwice',
  'staleRead',
  'coldStart',
  'dnsFails',
  'httpFails',
  'configChanged',
  'paused',
  'clockSkew',
  'clockStepped',
];
/** A process of the present version says this of what a newer one has written. */
const OF_OLD_VERSION = /version \d+: this program knows/;

/**
 * A process that froze for long reads by a head that was replaced twice since, and whose parts are swept: its
 * turn is discarded, as it would be at its commit.
 */
const OF_STALE_READER = /the part \S+ of \S+ ledger is not there/;

/** No function fails but by a fault that struck; and none by its own error, whatever struck. */
export function noCrash({ failures, strikes }: Pick<Facts, 'failures' | 'strikes'>): readonly Violation[] {
  const findings = createFindings('noCrash');
  const breaking = Object.entries(strikes).filter(
    ([name, count]) => count > 0 && name !== 'oldVersion' && !HARMLESS.includes(name as FaultName),
  );
  for (const { at, process, message } of failures) {
    if (strikes.oldVersion > 0 && OF_OLD_VERSION.test(message)) continue;
    if (strikes.workerFrozen + strikes.callStruck > 0 && OF_STALE_READER.test(message)) continue;
    if (OF_PROGRAMMING.test(message))
      findings.add(`${process} failed ${since(at)} by its own error: ${message}`, { at });
    else if (breaking.length === 0)
      findings.add(`${process} failed ${since(at)}, and no fault explains it: ${message}`, { at });
  }
  return findings.list;
}
