/**
 * Thrown by `LedgerStore.commit` and `TurnQueue.hold`: another worker owns the host, or may. Throw the turn
 * away; nothing became visible.
 */
export class StaleTurn extends Error {
  override name = 'StaleTurn';
}
