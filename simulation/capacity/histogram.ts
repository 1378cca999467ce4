/**
 * How values are spread, kept in classes a twentieth apart: any quantile within that, whatever the number of
 * values.
 */
export interface Histogram {
  add(value: number): void;
  readonly count: number;
  readonly max: number;
  readonly mean: number;
  /** The value that the share `q` (0 to 1) of all does not exceed; 0 if there is none. */
  quantile(q: number): number;
}

const STEP = Math.log(1.05);

/** Creates a histogram of values from 0 up; values below 1 count as 0. */
export function createHistogram(): Histogram {
  const classes: number[] = [];
  let count = 0;
  let max = 0;
  let sum = 0;
  return {
    add(value) {
      const at = value < 1 ? 0 : 1 + Math.floor(Math.log(value) / STEP);
      while (classes.length <= at) classes.push(0);
      classes[at] = (classes[at] as number) + 1;
      count++;
      sum += value;
      max = Math.max(max, value);
    },
    get count() {
      return count;
    },
    get max() {
      return max;
    },
    get mean() {
      return count === 0 ? 0 : sum / count;
    },
    quantile(q) {
      let left = Math.ceil(q * count);
      for (const [at, some] of classes.entries()) {
        left -= some;
        if (left <= 0) return at === 0 ? 0 : Math.min(max, Math.exp(at * STEP));
      }
      return max;
    },
  };
}
