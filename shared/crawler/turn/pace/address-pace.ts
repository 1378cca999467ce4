import type { CrawlConfig } from '../../../core/crawl/config.ts';
import { MAX_LINE_MS } from '../../../core/frontier/clamp-times.ts';
import type { FetchOutcome } from '../../../core/outcome/fetch-outcome.ts';
import { createBlockTest } from '../../fetcher/ip-address.ts';
import type { TurnServices } from '../services.ts';
import type { TurnCrawl } from '../turn-crawl.ts';

/** A host with more addresses than this keeps the pace of the first ones. */
const MAX_ADDRESSES = 16;

/** Why requests to a host must wait, and for how long. */
export interface AddressWait {
  readonly address: string;
  readonly ms: number;
}

type Services = Pick<TurnServices, 'engine' | 'lanes' | 'leases' | 'fetcherOf' | 'stopping'>;

/**
 * The pace of the IP addresses at which a turn's host is: each of them has one request in flight in this process, over all
 * hosts, and rests after it (`ipDelayMs`). Of several workers one has the address at a time.
 */
export class AddressPace {
  readonly #services: Services;
  readonly #crawl: TurnCrawl;
  /** When the host's slot in the queue comes, by the clock's `elapsed`. */
  #place: number | undefined;
  /** The addresses in whose lines that is. */
  #joined: readonly string[] = [];
  /** The addresses whose leases the turn has claimed. */
  readonly #entered = new Set<string>();

  constructor(services: Services, crawl: TurnCrawl) {
    this.#services = services;
    this.#crawl = crawl;
  }

  get isOn(): boolean {
    return this.#crawl.config.ipDelayMs > 0;
  }

  /** Returns the reason of the host's wait; undefined: its slot has come, or it needs none. */
  async next(): Promise<AddressWait | undefined> {
    if (!this.isOn) return undefined;
    const addresses = await this.#addresses();
    const [address] = addresses;
    if (address === undefined) return undefined;
    const foreign =
      this.#place === undefined
        ? await this.#claim(addresses, (address) => this.lines.isIdle(address))
        : undefined;
    if (foreign) return foreign;
    const { ipDelayMs } = this.#crawl.config;
    if (this.#place === undefined) {
      this.#place = this.lines.join(this.#crawl.host, addresses, ipDelayMs);
      this.#joined = addresses;
    }
    const ms = Math.ceil(this.#place - this.#elapsed());
    return ms > 0 ? { address, ms: Math.min(ms, MAX_LINE_MS) } : undefined;
  }

  /** Makes one exchange in the line. Undefined: that would be too late, or another worker has the address. */
  async run(
    latestAt: number,
    request: () => Promise<FetchOutcome>,
    sentRequest: (outcome: FetchOutcome) => boolean,
  ) {
    if (!this.isOn) return request();
    const addresses = await this.#addresses();
    this.#place = undefined;
    if (addresses.length === 0) return request();
    const { stopping: signal } = this.#services;
    const { host, config } = this.#crawl;
    const outcome = await this.lines.run(
      addresses,
      { delayMs: config.ipDelayMs, latestAt, signal },
      async () => ((await this.#claim(addresses, () => true)) ? undefined : request()),
      (result) => result !== undefined && sentRequest(result),
    );
    if (outcome?.status === 'response' && outcome.ipAddress !== '') this.lines.note(host, outcome.ipAddress);
    return outcome;
  }

  /**
   * At the turn's end: a slot that is yet to come stays the host's, an unused one is given to others, and so are
   * leases.
   */
  async end(): Promise<void> {
    const place = this.#place;
    this.#place = undefined;
    const { id, host, config } = this.#crawl;
    if (place !== undefined && place > this.#elapsed()) this.lines.keep(host, place);
    else if (place !== undefined) this.lines.leave(this.#joined, config.ipDelayMs);
    const entered = [...this.#entered];
    this.#entered.clear();
    await Promise.all(entered.map((address) => this.#services.leases.exit(id, address, config.ipDelayMs)));
  }

  /** Claims the leases of all, in one order for all hosts; returns the first that another worker has. */
  async #claim(
    addresses: readonly string[],
    isIdle: (address: string) => boolean,
  ): Promise<AddressWait | undefined> {
    const { leases, engine } = this.#services;
    const { id, config } = this.#crawl;
    const { ipDelayMs: delayMs, totalTimeoutMs } = config;
    for (const address of [...addresses].sort()) {
      if (!this.#entered.has(address)) leases.enter(id, address);
      this.#entered.add(address);
      const terms = { delayMs, requestMs: totalTimeoutMs + delayMs, isIdle: isIdle(address) };
      const at = await leases.claim(id, address, terms);
      if (at !== undefined) return { address, ms: Math.max(1, at - engine.clock.now()) };
    }
    return undefined;
  }

  /** The host's addresses, without shared ones such as those of CDNs. */
  async #addresses(): Promise<readonly string[]> {
    const { fetcherOf } = this.#services;
    const { host, everywhere, config } = this.#crawl;
    const named = (await fetcherOf(everywhere).addressesOf?.(host)) ?? [];
    const last = this.lines.lastOf(host);
    const isFree = freeTestOf(config.ipDelayExcept);
    const all = last === undefined || named.includes(last) || named.length === 0 ? named : [last, ...named];
    return all.filter((address) => !isFree(address)).slice(0, MAX_ADDRESSES);
  }

  get lines() {
    return this.#services.lanes.addresses;
  }

  #elapsed(): number {
    const { clock } = this.#services.engine;
    return (clock.elapsed ?? clock.now)();
  }
}

const tests = new WeakMap<readonly string[], (address: string) => boolean>();

/** A configuration's list is one object while it stays the same. */
function freeTestOf(blocks: CrawlConfig['ipDelayExcept']): (address: string) => boolean {
  const known = tests.get(blocks) ?? createBlockTest(blocks);
  tests.set(blocks, known);
  return known;
}
