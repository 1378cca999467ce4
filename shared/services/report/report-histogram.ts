/** How sizes or times are spread, on a logarithmic scale of ten steps a decade. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  readonly max: number;
  /** Values below 1. */
  readonly belowOne: number;
  /** `counts[i]`: values from `10 ** (i / 10)` on, to less than the next. No zeros at the end. */
  readonly counts: readonly number[];
}

export const STEPS_PER_DECADE = 10;
/** Up to 10^15. */
const MAX_STEPS = 15 * STEPS_PER_DECADE;

export function createHistogram() {
  const counts: number[] = [];
  let [count, sum, max, belowOne] = [0, 0, 0, 0];
  return {
    add(value: number): void {
      count++;
      sum += value;
      if (value > max) max = value;
      if (!(value >= 1)) {
        belowOne++;
        return;
      }
      const step = Math.min(MAX_STEPS - 1, Math.floor(Math.log10(value) * STEPS_PER_DECADE + 1e-9));
      while (counts.length <= step) counts.push(0);
      counts[step]!++;
    },
    histogram: (): Histogram => ({ count, sum, max, belowOne, counts: [...counts] }),
  };
}

/**
 * About the value below which the share `q` of all lie: the upper edge of its step, so at most 26 % too high;
 * never above the largest. 0 where there are none.
 */
export function quantile({ count, max, belowOne, counts }: Histogram, q: number): number {
  let left = q * count - belowOne;
  if (left <= 0) return Math.min(max, 1);
  for (const [step, inStep] of counts.entries()) {
    left -= inStep;
    if (left <= 0) return Math.min(max, 10 ** ((step + 1) / STEPS_PER_DECADE));
  }
  return max;
}
