/**
 * The requests of one process in a crawl that takes a certain number of bytes a second (`crawl-rate.ts`). The size of
 * an answer is known only at its end, so a request reserves the average of recent answers; the difference is credited
 * or owed at the end. All times are in ms by a clock that is never set. Pure but for its own state.
 */
import { MAX_BYTES_REST_MS } from './byte-rate.ts';
import { MAX_AHEAD_MS } from './crawl-rate.ts';

/** The bytes of an answer before any has come; of a slow crawl as many as come in {@link CLAIM_MS}. */
const FIRST_BYTES = 10_000;
/** A new answer counts for this part of the average. */
export const NEW_SHARE = 0.125;
/** A process claims at most this much time of the crawl's rate at once, if it does not owe more. */
export const CLAIM_MS = 2000;
/** Time of the rate that was not used is used later, as much as this: answers differ in size, and come when they do. */
export const LINE_SLACK_MS = 1000;

/** A slot in the queue, and the bytes reserved for it. */
export interface Place {
  /** When the slot comes, if the answers before it have their expected size. */
  readonly at: number;
  /** Start of this process's claim. Earlier time belongs to other workers. */
  readonly from: number;
  readonly bytes: number;
}

export class RateLine {
  /** All slots before this time are taken. */
  #tail = Number.NEGATIVE_INFINITY;
  /** Start of the latest claim. */
  #from = Number.NEGATIVE_INFINITY;
  /** When the bytes of all started requests will have arrived at the crawl's rate. No request starts earlier. */
  #gate = Number.NEGATIVE_INFINITY;
  /** Claimed time that is left; below 0: time that is owed. */
  #creditMs = 0;
  #meanBytes: number | undefined;
  #claimedAt = Number.NEGATIVE_INFINITY;
  #claimMs = 0;

  /** Takes the next slot. Undefined: more time must be claimed first. `far`: the slot would be too far ahead. */
  take(now: number, bytesPerSecond: number): Place | 'far' | undefined {
    const bytes = this.#usualBytes(bytesPerSecond);
    const ms = msOf(bytes, bytesPerSecond);
    const at = Math.max(now, this.#tail);
    if (at - now > MAX_AHEAD_MS) return 'far';
    if (this.#creditMs < ms) return undefined;
    this.#creditMs -= ms;
    this.#tail = Math.max(this.#tail, now - LINE_SLACK_MS) + ms;
    return { at, from: this.#from, bytes };
  }

  /** Returns a slot that is not used after all. */
  giveBack({ bytes }: Place, bytesPerSecond: number): void {
    this.#move(-msOf(bytes, bytesPerSecond));
  }

  /** How much time to claim: enough for one slot, and enough to last for about {@link CLAIM_MS} at the current use. */
  claimMs(now: number, bytesPerSecond: number): number {
    const needed = msOf(this.#usualBytes(bytesPerSecond), bytesPerSecond) - this.#creditMs;
    const lasted = now - this.#claimedAt;
    const factor = lasted < CLAIM_MS ? 2 : lasted > 2 * CLAIM_MS ? 0.5 : 1;
    this.#claimMs = Math.min(CLAIM_MS, Math.max(needed, factor * this.#claimMs));
    this.#claimedAt = now;
    return Math.ceil(Math.max(needed, this.#claimMs));
  }

  /** Adds time that was claimed, and from when on it may be used. */
  add(ms: number, from: number): void {
    this.#creditMs += ms;
    this.#from = from;
    this.#tail = Math.max(this.#tail, from);
  }

  /** Time that is owed, and is to be claimed at once: it was used. */
  get owedMs(): number {
    return Math.max(0, Math.ceil(-this.#creditMs));
  }

  /** Records that this owed time was claimed. */
  settled(ms: number): void {
    this.#creditMs += ms;
  }

  /** How long a request must wait whose slot has come. */
  waitMs(now: number): number {
    return Math.max(0, Math.ceil(this.#gate - now));
  }

  /** Records a request that begins without a slot. */
  join(now: number, { bytes }: Pick<Place, 'bytes'>, bytesPerSecond: number): void {
    this.#gate = Math.max(this.#gate, now - LINE_SLACK_MS) + msOf(bytes, bytesPerSecond);
  }

  /** It has begun only now. */
  begun(now: number, { bytes }: Pick<Place, 'bytes'>, bytesPerSecond: number): void {
    this.#gate = Math.max(this.#gate, now - LINE_SLACK_MS + msOf(bytes, bytesPerSecond));
  }

  /** A request has ended that had joined. `bytes`: how many have come; undefined: it was not made. */
  ended(now: number, place: Pick<Place, 'bytes'>, bytes: number | undefined, bytesPerSecond: number): void {
    const ms = msOf((bytes ?? 0) - place.bytes, bytesPerSecond);
    this.#gate = Math.min(this.#gate + ms, now + MAX_BYTES_REST_MS);
    this.#move(ms);
    this.#tail = Math.min(this.#tail, now + MAX_BYTES_REST_MS);
    if (bytes === undefined) return;
    const mean = this.#meanBytes ?? firstBytes(bytesPerSecond);
    this.#meanBytes = mean + NEW_SHARE * (bytes - mean);
  }

  #move(ms: number): void {
    this.#creditMs -= ms;
    // The time before was claimed by others.
    this.#tail = Math.max(this.#tail + ms, this.#from);
  }

  #usualBytes(bytesPerSecond: number): number {
    return Math.ceil(this.#meanBytes ?? firstBytes(bytesPerSecond));
  }
}

/** The bytes that the first requests reserve. */
export const firstBytes = (bytesPerSecond: number): number =>
  Math.min(FIRST_BYTES, (bytesPerSecond * CLAIM_MS) / 1000);

const msOf = (bytes: number, bytesPerSecond: number): number => (bytes * 1000) / bytesPerSecond;
