/**
 * How carefully a host is visited after its turns were lost: a process died, and perhaps a page of the host was the reason.
 * A dead process stores nothing, so how often a message was received says that a turn was lost; the head says how
 * carefully the next turns go on. Pure.
 */
import type { HostCaution } from '../../core/frontier/head.ts';
import type { Message } from '../../core/frontier/message.ts';

/** After a turn of `n` URLs was lost, this many times `n` URLs are announced: links that came since may be fetched first ... */
const ANNOUNCED_FACTOR = 2;
/** ... and at least this many. */
const MIN_ANNOUNCED = 4;
/** URLs of a turn that announces them, in a process that serves other hosts: all of them wait for it. */
const MAX_BESIDE_OTHERS = 8;

/**
 * Returns the caution of the turn that begins. The first lost turn is followed by small ones, which grow again. If one of those
 * is lost, too, each URL is announced before it is fetched.
 */
export function cautionOf(stored: HostCaution | undefined, lostTurns: number): HostCaution | undefined {
  if (lostTurns === 0) return stored;
  if (stored === undefined) return { maxUrls: 1, ...(lostTurns > 1 && { announced: MIN_ANNOUNCED }) };
  const announced = Math.max(stored.announced ?? 0, ANNOUNCED_FACTOR * stored.maxUrls, MIN_ANNOUNCED);
  return { maxUrls: 1, announced };
}

/**
 * Returns the caution of the turn that follows one in which `fetched` URLs were fetched; undefined: it is like any other,
 * of `turnMaxPages` URLs.
 */
export function afterTurn(
  { maxUrls, announced = 0 }: HostCaution,
  fetched: number,
  turnMaxPages: number,
): HostCaution | undefined {
  const next = fetched === 0 ? maxUrls : 2 * maxUrls;
  const left = announced - fetched;
  if (left > 0) return { maxUrls: next, announced: left };
  return next > turnMaxPages ? undefined : { maxUrls: next };
}

/** The caution of one turn. */
export class TurnCaution {
  readonly #caution: HostCaution | undefined;
  readonly #options: {
    readonly turnMaxPages: number;
    readonly isApart: boolean;
    readonly isSuspected: boolean;
  };
  #fetched = 0;

  /** `isApart`: the process serves no other host. `isSuspected`: the head names a URL that perhaps kills. */
  constructor(
    caution: HostCaution | undefined,
    options: { readonly turnMaxPages: number; readonly isApart: boolean; readonly isSuspected: boolean },
  ) {
    const isCareful = options.isApart || options.isSuspected;
    this.#caution = caution ?? (isCareful ? { maxUrls: 1 } : undefined);
    this.#options = options;
  }

  /** The turn announces each URL before it fetches it, one at a time. */
  get isAnnouncing(): boolean {
    const { isApart, isSuspected } = this.#options;
    return isApart || isSuspected || this.#caution?.announced !== undefined;
  }

  /** URLs that the turn fetches at most. */
  get maxUrls(): number {
    const { turnMaxPages, isApart } = this.#options;
    const { maxUrls = turnMaxPages } = this.#caution ?? {};
    return Math.min(
      turnMaxPages,
      this.isAnnouncing && !isApart ? Math.min(maxUrls, MAX_BESIDE_OTHERS) : maxUrls,
    );
  }

  /** As the turn began with it: what an announcement stores. */
  get stored(): HostCaution | undefined {
    return this.#caution;
  }

  countUrl(): void {
    this.#fetched++;
  }

  /** The field of the next head. */
  next(): HostCaution | undefined {
    return this.#caution && afterTurn(this.#caution, this.#fetched, this.#options.turnMaxPages);
  }

  /** The caution in the message that begins the next turn. */
  ofToken(): Pick<Extract<Message, { kind: 'token' }>, 'caution'> {
    const next = this.next();
    return next === undefined ? {} : { caution: next.announced === undefined ? 1 : 2 };
  }
}
