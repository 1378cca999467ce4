import type { Head } from './head.ts';
import { partsOfRun } from './run-stack.ts';

/** Names of the parts that a head names: of its ledger, and of its robots rules. */
export function partsOf({ ledger, robots }: Pick<Head, 'ledger' | 'robots'>): string[] {
  return [
    ...ledger.segments,
    ...ledger.runs.flatMap(partsOfRun),
    ...robots.flatMap(({ part }) => part ?? []),
  ];
}
