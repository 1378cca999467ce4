/** The hosts that a worker may serve, by its CPU: waits for a CPU that is used up look like slow hosts. Pure. */

import { type Load, RecentLoad } from './small-worker.ts';

/** A worker that uses more than this share of its CPU for a minute serves fewer hosts, ... */
const MOST_SHARE = 0.8;
/** ... which use about this share. */
const WANTED_SHARE = 0.75;
/** A worker that uses less than this share for a minute may serve more again, ... */
const LOW_SHARE = 0.6;
/** ... by this factor at most. */
const MOST_GROWTH = 1.25;

export interface CpuPlacesOptions {
  /** The share of a CPU that the worker has. */
  readonly cpuShare: number;
  readonly maxHosts: number;
  /** It may serve as many in any case. */
  readonly minRoom: number;
}

/** Lowers and raises the places of a worker by the CPU that its hosts have used in the last minute. */
export class CpuPlaces {
  readonly #options: CpuPlacesOptions;
  /** Since the number of places changed. */
  #load = new RecentLoad();
  #places: number;

  constructor(options: CpuPlacesOptions) {
    this.#options = options;
    this.#places = options.maxHosts;
  }

  /** The hosts that the worker may serve now. */
  get places(): number {
    return this.#places;
  }

  note(load: Load): void {
    this.#load.note(load);
    const places = this.#placesAfter(load.hosts);
    if (places === this.#places) return;
    this.#places = places;
    this.#load = new RecentLoad();
    this.#load.note(load);
  }

  #placesAfter(hosts: number): number {
    const { cpuShare, maxHosts, minRoom } = this.#options;
    const cpu = this.#load.minuteCpuShare;
    if (cpu === undefined || hosts === 0) return this.#places;
    const used = cpu / cpuShare;
    const wanted = Math.floor((hosts * WANTED_SHARE) / used);
    if (used > MOST_SHARE) return Math.min(this.#places, Math.max(minRoom, wanted));
    const most = Math.min(maxHosts, Math.ceil(this.#places * MOST_GROWTH));
    return used < LOW_SHARE ? Math.max(this.#places, Math.min(most, wanted)) : this.#places;
  }
}
