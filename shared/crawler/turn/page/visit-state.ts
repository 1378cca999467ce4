import {
  MAX_STATE_KEYS,
  MAX_STATE_VALUE_BYTES,
  type SharedValues,
  type StateChange,
} from '../../ports/shared-state.ts';

/** Keys that the pages of a visit may change. They are written together with the head, by one transaction. */
const MAX_CHANGED_KEYS = 60;
/** With this number of them changed, or this number of characters of values, the visit is committed. */
const FULL_KEYS = 20;
const FULL_CHARS = 500_000;
/** Characters of all values that a visit may change together. */
const MAX_CHANGED_CHARS = 2_000_000;
/** Characters of all values of a crawl. Each worker holds them. */
const MAX_STATE_CHARS = 16_000_000;
/**
 * Functions that hooks give keep what they refer to, perhaps the parsed page, until the visit is committed. A visit may
 * keep this number of bytes of pages ...
 */
const MAX_HELD_BYTES = 4_000_000;
/** ... and by all visits of the process; beyond that each visit commits after this many. */
const MAX_ALL_HELD_BYTES = 32_000_000;
const LEAST_HELD_BYTES = 128_000;

/** A hook has changed too much for one commit, or for the crawl. */
export class StateFull extends RangeError {}

/** The state of hooks as one page sees it. */
export interface PageState {
  get(key: string): string | undefined;
  /**
   * Returns the new value. Throws {@link StateFull}, and the errors of `change.apply`; then nothing is changed.
   * `later`: the function that is applied at the commit, if it differs.
   */
  change(change: StateChange, later?: StateChange['apply']): string | undefined;
  /** By key. */
  entries(): readonly (readonly [key: string, value: string])[];
  /** The page's hooks have ended: later changes throw, as they would be lost. */
  end(): void;
}

interface Made {
  readonly page: object;
  readonly change: StateChange;
}

/**
 * The state of hooks during a visit to a host: the values that the worker knows, and the visit's own changes over them.
 * Other visits see the changes when this one is committed: then each change is applied to the value of that time.
 */
export class VisitState {
  readonly #values: SharedValues;
  readonly #held: { heldBytes: number };
  readonly #own = new Map<string, string | undefined>();
  #made: Made[] = [];
  #heldBytes = 0;

  /** `held`: the bytes that all visits of the process hold. */
  constructor(values: SharedValues, held: { heldBytes: number }) {
    this.#values = values;
    this.#held = held;
  }

  get changes(): readonly StateChange[] {
    return this.#made.map(({ change }) => change);
  }

  /** The visit is to be committed. */
  get isFull(): boolean {
    const isCrowded = this.#held.heldBytes >= MAX_ALL_HELD_BYTES && this.#heldBytes >= LEAST_HELD_BYTES;
    return (
      isCrowded ||
      this.#heldBytes >= MAX_HELD_BYTES ||
      this.#own.size >= FULL_KEYS ||
      this.#chars() >= FULL_CHARS
    );
  }

  /** The state for a page, whose body has that many bytes. */
  openPage(bytes: number): PageState {
    const page = {
      isHeld: false,
      hasEnded: false,
      end() {
        page.hasEnded = true;
      },
      get: (key: string) => (this.#own.has(key) ? this.#own.get(key) : this.#values.get(key)),
      entries: () => this.#entries(),
      change: ({ key, apply }: StateChange, later = apply) => {
        if (page.hasEnded) throw new Error('The state can be changed until onPage has ended, not later');
        const after = apply(page.get(key));
        this.#refuseTooMuch(key, after);
        this.#own.set(key, after);
        this.#made.push({ page, change: { key, apply: later } });
        if (!page.isHeld) this.#hold(bytes);
        page.isHeld = true;
        return after;
      },
    };
    return page;
  }

  /** Forgets what the page has changed: it is to be fetched again. */
  forget(page: PageState): void {
    this.#made = this.#made.filter((made) => made.page !== page);
    this.#own.clear();
    for (const { change } of this.#made) {
      const { key } = change;
      this.#own.set(key, change.apply(this.#own.has(key) ? this.#own.get(key) : this.#values.get(key)));
    }
  }

  /** The visit has ended, committed or not. */
  close(): void {
    this.#held.heldBytes -= this.#heldBytes;
    this.#heldBytes = 0;
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#held.heldBytes += bytes;
  }

  #entries(): (readonly [string, string])[] {
    const all = new Map<string, string | undefined>([...this.#values.entries(), ...this.#own]);
    return [...all]
      .flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #chars(): number {
    let chars = 0;
    for (const value of this.#own.values()) chars += value?.length ?? 0;
    return chars;
  }

  #refuseTooMuch(key: string, after: string | undefined): void {
    const [own, chars] = [this.#own.get(key)?.length ?? 0, after?.length ?? 0];
    const isNew = after !== undefined && !this.#own.has(key) && this.#values.get(key) === undefined;
    if (isNew && this.#values.size + this.#own.size >= MAX_STATE_KEYS)
      throw new StateFull(
        `Expected at most ${MAX_STATE_KEYS} keys in the state of a crawl: keep several values under one key`,
      );
    if (!this.#own.has(key) && this.#own.size >= MAX_CHANGED_KEYS)
      throw new StateFull(`Expected changes of at most ${MAX_CHANGED_KEYS} keys by the pages of one visit`);
    if (3 * chars > MAX_STATE_VALUE_BYTES && Buffer.byteLength(after ?? '') > MAX_STATE_VALUE_BYTES)
      throw new StateFull(
        `Expected the state ${key} to have at most ${MAX_STATE_VALUE_BYTES} bytes as JSON on a stack`,
      );
    const visit = this.#chars() - own + chars;
    if (visit > MAX_CHANGED_CHARS)
      throw new StateFull(`Expected changed values of at most ${MAX_CHANGED_CHARS} characters in one visit`);
    if (this.#values.chars + visit > MAX_STATE_CHARS)
      throw new StateFull(`Expected at most ${MAX_STATE_CHARS} characters in the state of a crawl`);
  }
}
