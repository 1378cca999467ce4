/**
 * Long lists of a crawl's seeds, beside its record: the record is read every other second and rewritten whenever time is
 * counted, and a million seeds have 60 MB.
 */
import { DamagedState } from '../../core/frontier/bytes.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';

/** Shorter lists stay in the record. */
const MIN_APART = 1000;

/** A record as it is stored. */
export interface StoredRecord extends Omit<CrawlRecord, 'scopeSeeds'> {
  readonly scopeSeeds?: readonly string[];
  /** How many seeds are kept apart. They only become more, so the number shows whether a list is out of date. */
  readonly seedsApart?: number;
}

/** A named text beside the crawls. */
export interface KeptText {
  keep(text: string): void;
  kept(): string | undefined;
}

export class ScopeSeeds {
  readonly #text: KeptText;
  #known: readonly string[] = [];

  constructor(text: KeptText) {
    this.#text = text;
  }

  /** Keeps a long list apart, if it is not the one that is there. Returns the record to store. */
  apart(record: CrawlRecord): StoredRecord {
    const { scopeSeeds, ...rest } = record;
    if (scopeSeeds.length < MIN_APART) return record;
    if (scopeSeeds !== this.#known) this.#text.keep(JSON.stringify(scopeSeeds));
    this.#known = scopeSeeds;
    return { ...rest, seedsApart: scopeSeeds.length };
  }

  /** The record with its seeds. Throws {@link DamagedState} if they are not there. */
  joined({ seedsApart, scopeSeeds = [], ...rest }: StoredRecord): CrawlRecord {
    if (seedsApart === undefined) return { ...rest, scopeSeeds };
    if (this.#known.length !== seedsApart) this.#known = this.#read(seedsApart);
    return { ...rest, scopeSeeds: this.#known };
  }

  #read(count: number): readonly string[] {
    const seeds: unknown = JSON.parse(this.#text.kept() ?? 'null');
    if (!Array.isArray(seeds) || seeds.length !== count)
      throw new DamagedState(`the list of ${count} seeds of the crawl is not there`);
    return seeds;
  }
}
