/** Hostile cases that do not hold yet, each with the reason. `npm run bench -- hostile` runs them, too. */
export const OPEN: Readonly<Record<string, string>> = {};
