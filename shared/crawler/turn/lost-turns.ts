/** Counts the turns that a host's messages began and that were lost. Pure. */
import type { Head } from '../../core/frontier/head.ts';
import type { Delivery } from '../ports/turn-queue.ts';
import type { Receives } from './services.ts';

type Counted = Pick<Receives, 'of'>;

/** A message that stays while its host rests comes back once, and nothing was lost. */
const PARKED_RECEIVES = 1;

/**
 * Returns how many turns began with these deliveries and did not commit. Receives by this process count as none: it is
 * alive. The message that counts is the host's token, which each commit replaces by another one. Messages of other
 * kinds may stay after a commit, and come back.
 */
export function lostTurns(
  deliveries: readonly Delivery[],
  { token, version, dueAt = Infinity }: Pick<Head, 'token' | 'version' | 'dueAt'>,
  receives: Counted,
  now: number,
): number {
  const current = deliveries.filter(({ message }) => message.kind === 'token' && message.token === token);
  const counted = current.length > 0 ? current : deliveries;
  // A host that was woken and is still due has had no turn since: nobody has parked the message.
  const isUnserved = version === 0 || (token === undefined && dueAt <= now);
  const spared = current.length > 0 || isUnserved ? 0 : PARKED_RECEIVES;
  return Math.max(0, ...counted.map((delivery) => returnsOf(delivery, receives) - spared));
}

/**
 * Whether two turns in a row were perhaps lost, as far as the deliveries say: such a host is served apart from others.
 * Its newest token agrees with its head.
 */
export const areSuspicious = (deliveries: readonly Delivery[], receives: Counted): boolean =>
  suspicionOf(deliveries, receives) >= 2;

/** Whether a turn was perhaps lost since then: such a host is served alone. */
export const haveLostAgain = (deliveries: readonly Delivery[], receives: Counted): boolean =>
  suspicionOf(deliveries, receives) >= 3;

function suspicionOf(deliveries: readonly Delivery[], receives: Counted): number {
  const token = deliveries.findLast(({ message }) => message.kind === 'token');
  const counted = token ? [token] : deliveries;
  const caution = token?.message.kind === 'token' ? (token.message.caution ?? 0) : 0;
  return Math.max(...counted.map((delivery) => returnsOf(delivery, receives))) + caution;
}

const returnsOf = ({ id, receiveCount }: Delivery, receives: Counted): number =>
  Math.max(0, receiveCount - Math.max(1, receives.of(id)));
