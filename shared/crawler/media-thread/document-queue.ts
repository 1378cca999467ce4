/**
 * Decides whose document is read next, when several domains have some: none can take the time of all others, and one whose
 * documents keep meeting the limits has less of it.
 */

/** The cost of a document that was read. */
interface DocumentUse {
  readonly usedMs: number;
  /** It took all the time or memory that it may. */
  readonly metLimit: boolean;
}

/** A slot in a thread. */
export interface DocumentPlace {
  /** The share of the usual limits that the document has: 1, halved by each of its domain's that met the limits. */
  readonly share: number;
  release(use: DocumentUse): void;
}

interface Waiter {
  readonly domain: string;
  /** Virtual time of its arrival. */
  readonly arrivedAt: number;
  readonly admit: () => void;
}

interface DomainUse {
  /** Virtual time until which the domain has had its share. */
  readonly hadUntil: number;
  readonly metLimits: number;
}

const UNUSED: DomainUse = { hadUntil: 0, metLimits: 0 };
/** Domains that are known; the one that was used longest ago is forgotten first. */
const MAX_DOMAINS = 10_000;

/**
 * Start-time fair queueing (Goyal, Vin and Cheng, 1996): the virtual time is the start of the document that is being read; a
 * domain starts where its last document ended, at the earliest now; the least start is served first. Domains whose documents
 * met the limits come after all others.
 */
export class DocumentQueue {
  #free: number;
  #now = 0;
  readonly #waiting: Waiter[] = [];
  readonly #domains = new Map<string, DomainUse>();

  /** `places`: documents that are read at once. */
  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves when the document may be read; to undefined if that takes more than `waitMs`. */
  acquire(domain: string, waitMs: number): Promise<DocumentPlace | undefined> {
    const { promise, resolve } = Promise.withResolvers<DocumentPlace | undefined>();
    let timer: NodeJS.Timeout | undefined;
    const waiter: Waiter = {
      domain,
      arrivedAt: this.#now,
      admit: () => {
        clearTimeout(timer);
        resolve(this.#placeFor(waiter));
      },
    };
    this.#waiting.push(waiter);
    if (waitMs < Number.POSITIVE_INFINITY)
      timer = setTimeout(() => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(undefined);
      }, waitMs);
    this.#admit();
    return promise;
  }

  #admit(): void {
    while (this.#free > 0 && this.#waiting.length > 0) {
      let next = 0;
      for (let i = 1; i < this.#waiting.length; i++)
        if (this.#comesBefore(this.#waiting[i]!, this.#waiting[next]!)) next = i;
      const [waiter] = this.#waiting.splice(next, 1);
      this.#free--;
      waiter!.admit();
    }
  }

  #comesBefore(a: Waiter, b: Waiter): boolean {
    const { metLimits: ofA } = this.#useOf(a.domain);
    const { metLimits: ofB } = this.#useOf(b.domain);
    return ofA === ofB ? this.#startOf(a) < this.#startOf(b) : ofA < ofB;
  }

  #placeFor(waiter: Waiter): DocumentPlace {
    const { domain } = waiter;
    const start = this.#startOf(waiter);
    this.#now = Math.max(this.#now, start);
    return {
      share: 2 ** -this.#useOf(domain).metLimits,
      release: ({ usedMs, metLimit }) => {
        const { hadUntil, metLimits } = this.#useOf(domain);
        this.#domains.delete(domain);
        this.#domains.set(domain, {
          hadUntil: Math.max(hadUntil, start) + usedMs,
          metLimits: metLimits + (metLimit ? 1 : 0),
        });
        if (this.#domains.size > MAX_DOMAINS)
          for (const oldest of this.#domains.keys()) {
            this.#domains.delete(oldest);
            break;
          }
        this.#free++;
        this.#admit();
      },
    };
  }

  #startOf({ domain, arrivedAt }: Waiter): number {
    return Math.max(arrivedAt, this.#useOf(domain).hadUntil);
  }

  #useOf(domain: string): DomainUse {
    return this.#domains.get(domain) ?? UNUSED;
  }
}
