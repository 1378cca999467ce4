/** The measurements of a bench, in the form that is kept. */

/** One figure with its unit: `{ value: 1.2, unit: 'ms of one core a page' }`. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
}

/** The result of a claim's file. */
export interface Measured {
  /** By name, camel case, with the unit in it: `cpuMsPerPage`. The first one is the claim's own. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** The parts of the first figure, in its unit. They add up to it. */
  readonly parts?: Readonly<Record<string, number>>;
  /** More than a line, for people. */
  readonly detail?: string;
  /** The claim does not hold: the program ends with 1, unless the record is saved. */
  readonly hasFailed?: boolean;
}

/** A measurement as JSON: one line of `records.jsonl`. */
export interface BenchRecord {
  readonly claim: string;
  readonly figures: Readonly<Record<string, number>>;
  /** The unit of each figure, by its name. */
  readonly unit: Readonly<Record<string, string>>;
  /** The parts of the first figure, in its unit. */
  readonly parts?: Readonly<Record<string, number>>;
  /** Processor, number of cores, operating system. */
  readonly machine: string;
  readonly node: string;
  /** Abbreviated, with `+` if files differed from it; absent outside of a repository. */
  readonly commit?: string;
  /**
   * Other processes that were ready to run, on the mean of the minute before (the system's load average).
   */
  readonly load: number;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface Surroundings extends Omit<BenchRecord, 'claim' | 'figures' | 'unit' | 'parts'> {}

export function recordOf(claim: string, { figures, parts }: Measured, around: Surroundings): BenchRecord {
  const entries = Object.entries(figures);
  const rounded = (of: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, significant(value)]));
  return {
    claim,
    figures: rounded(Object.fromEntries(entries.map(([name, { value }]) => [name, value]))),
    unit: Object.fromEntries(entries.map(([name, { unit }]) => [name, unit])),
    ...(parts && { parts: rounded(parts) }),
    ...around,
  };
}

/** One line for people. */
export function lineOf(claim: string, { figures }: Measured): string {
  const texts = Object.values(figures).map(({ value, unit }) => `${thousands(value)} ${unit}`);
  return `${claim}: ${texts.join('; ')}`;
}

/** Three digits that count, thousands parted. */
export function thousands(value: number): string {
  const digits = Math.abs(value) >= 1000 ? Math.round(value) : significant(value, 3);
  return digits.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const significant = (value: number, digits = 4): number => Number(value.toPrecision(digits));

/** The middle one; of an even number, the mean of both. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('Expected at least one value, got none');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
