/** The table of claims in docs/performance.md, from the last record of each, and where it stands. */
import { type BenchRecord, thousands } from './record.ts';

export const BEGIN = '<!-- bench: npm run bench -- table -->';
export const END = '<!-- /bench -->';

/** The first figures of a claim are those that say most. */
const MAX_FIGURES = 3;

/** The text of a claim for the table: its name and a sentence. */
export interface ClaimText {
  readonly name: string;
  readonly says: string;
}

/** The last record of each claim counts. Claims without a record are left out. */
export function tableOf(claims: readonly ClaimText[], records: readonly BenchRecord[]): string {
  const last = new Map(
    records.toSorted((a, b) => a.at.localeCompare(b.at)).map((record) => [record.claim, record]),
  );
  const rows: string[] = [];
  const machines: string[] = [];
  for (const { name, says } of claims) {
    const record = last.get(name);
    if (!record) continue;
    const machine = machineOf(record);
    if (!machines.includes(machine)) machines.push(machine);
    const figures = Object.entries(record.figures)
      .slice(0, MAX_FIGURES)
      .map(([figure, value]) => `${thousands(value)} ${record.unit[figure] ?? ''}`.trim());
    rows.push(
      `| \`${name}\` | ${cell(says)} | ${cell(figures.join('; '))} | ${machines.indexOf(machine) + 1}; ${stateOf(record)} |`,
    );
  }
  if (rows.length === 0) return 'Nothing has been measured.';
  return [
    '| claim | is | last measured | on |',
    '|---|---|---|---|',
    ...rows,
    '',
    ...machines.map((machine, i) => `${i + 1}. ${machine}`),
  ].join('\n');
}

const machineOf = ({ machine, node }: BenchRecord): string => `${machine}; Node ${node}`;

/** The commit, the load of the machine and the date of a record. */
const stateOf = ({ commit, load, at }: BenchRecord): string =>
  [commit, at.slice(0, 10), `load ${load.toFixed(1)}`].filter((text) => text !== undefined).join(', ');

const cell = (text: string): string => text.replaceAll('|', '\\|');

/**
 * `text` with `table` instead of what stands between the markers. Throws if they are not there, once and in
 * order.
 */
export function withTable(text: string, table: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin || text.indexOf(BEGIN, begin + 1) >= 0 || text.indexOf(END, end + 1) >= 0)
    throw new Error(`Expected ${BEGIN} and then ${END}, once each`);
  return `${text.slice(0, begin + BEGIN.length)}\n${table}\n${text.slice(end)}`;
}
