/**
 * Prints how many of the published cases we answer as they want, by file and tier, and each wrong answer to
 * one that must be right.
 *
 *     node test/conformance/totals.ts
 */
import { arePresent, SKIPPED, TIERS } from './cases.ts';
import { askFile, FILES } from './files.ts';

if (arePresent) await print();
else {
  console.error(SKIPPED);
  process.exitCode = 1;
}

async function print(): Promise<void> {
  const sums = TIERS.map(() => ({ right: 0, all: 0 }));
  const wrongLines: string[] = [];
  console.log(row('file', TIERS));
  for (const file of Object.keys(FILES)) {
    const totals = await askFile(file);
    const cells = TIERS.map((tier, i) => {
      const { all, wrong } = totals[tier];
      sums[i]!.all += all;
      sums[i]!.right += all - wrong.length;
      return shareOf(all - wrong.length, all);
    });
    console.log(row(file, cells));
    for (const { id, wanted, got } of totals.must.wrong)
      wrongLines.push(`${file} ${id}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);
  }
  const all = sums.map((sum) => shareOf(sum.right, sum.all));
  console.log(row('all', all));
  if (wrongLines.length > 0) console.log(`\nOf tier must:\n${wrongLines.join('\n')}`);
}

function shareOf(right: number, all: number): string {
  return all === 0 ? '-' : `${right}/${all}`;
}

function row(name: string, cells: readonly string[]): string {
  return name.padEnd(34) + cells.map((cell) => cell.padStart(12)).join('');
}
