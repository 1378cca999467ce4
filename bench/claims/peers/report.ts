/** The result of a comparison: medians, and ratios to one of the crawlers. */
import { type Figure, type Measured, median } from '../../harness/record.ts';
import type { CrawlCost } from '../../harness/strand-run.ts';
import type { Peer } from './peer.ts';

interface Row {
  readonly peer: Peer;
  readonly pagesPerSecond: number;
  readonly cpuMsPerPage: number;
  readonly peakMb: number;
  readonly found: number;
  readonly there: number;
}

/** `own`: whose figures the ratios are by. `left`: lines about those that are missing. */
export function report(
  costs: ReadonlyMap<Peer, readonly CrawlCost[]>,
  own: Peer,
  left: readonly string[],
): Measured {
  const rows = [...costs].filter(([, runs]) => runs.length > 0).map(([peer, runs]) => rowOf(peer, runs));
  const base = rows.find(({ peer }) => peer === own);
  const figures: Record<string, Figure> = {};
  if (base) {
    figures.pagesPerSecond = { value: base.pagesPerSecond, unit: 'pages/s on one core' };
    figures.cpuMsPerPage = { value: base.cpuMsPerPage, unit: 'ms of CPU a page' };
    for (const row of rows) {
      if (row === base) continue;
      const { name } = row.peer;
      const rate = base.pagesPerSecond / row.pagesPerSecond;
      const cpu = base.cpuMsPerPage / row.cpuMsPerPage;
      figures[`rateBy ${name}`] = { value: rate, unit: `x the pages/s of ${name}` };
      figures[`cpuBy ${name}`] = { value: cpu, unit: `x its CPU a page` };
    }
  }
  return { figures, detail: [table(rows, base), '', ...rows.map(lineOf), ...left].join('\n') };
}

function rowOf(peer: Peer, runs: readonly CrawlCost[]): Row {
  const middle = (of: (run: CrawlCost) => number) => median(runs.map(of));
  const truth = ({ counts }: CrawlCost) => (peer.obeysRobots ? counts.allowed : counts.all);
  return {
    peer,
    // From the first request to the last one: what a program takes to start counts in its CPU.
    pagesPerSecond: middle(({ counts }) => (counts.pages / counts.spanMs) * 1000),
    cpuMsPerPage: middle(({ counts, cpuMs }) => cpuMs / counts.pages),
    peakMb: middle(({ peakBytes }) => peakBytes / 1e6),
    found: middle((run) => truth(run).found),
    there: middle((run) => truth(run).there),
  };
}

function table(rows: readonly Row[], base: Row | undefined): string {
  const by = (own: number, other: number) => (base && other > 0 ? (own / other).toFixed(2) : '');
  return [
    `| crawler | pages/s | ${base?.peer.name} by it | CPU ms/page | ${base?.peer.name} by it | peak MB | found |`,
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows.map(({ peer, pagesPerSecond, cpuMsPerPage, peakMb, found, there }) => {
      const cells = [
        peer.name,
        pagesPerSecond.toFixed(0),
        by(base?.pagesPerSecond ?? 0, pagesPerSecond),
        cpuMsPerPage.toFixed(2),
        by(base?.cpuMsPerPage ?? 0, cpuMsPerPage),
        peakMb.toFixed(0),
        `${found} of ${there}`,
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

const lineOf = ({ peer: { name, does, obeysRobots } }: Row): string =>
  `${name}: ${does}. Found: of what ${obeysRobots ? 'robots.txt allows' : 'links lead to'}`;
