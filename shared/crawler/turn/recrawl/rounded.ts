/** Sums in a head have six digits, so that it stays small. */
export const rounded = (value: number): number => Number(value.toPrecision(6));
