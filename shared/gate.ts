/** Lets so many do their work at once; the others wait in line. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(most: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (inside < most) inside++;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      // The place passes to the first in line, so `inside` stays as it is.
      const next = waiting.shift();
      if (next === undefined) inside--;
      else next();
    }
  };
}
