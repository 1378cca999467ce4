/**
 * Thrown by `LedgerStore.readPart`: the part is not there. If the host's head still names it, no later read finds it either: somebody has
 * deleted it, or a table was restored from a time before.
 */
export class LostPart extends Error {
  override name = 'LostPart';
  readonly part: string;

  constructor(host: string, part: string, cause?: unknown) {
    super(`the part ${part} of ${host}'s ledger is not there`, { cause });
    this.part = part;
  }
}
