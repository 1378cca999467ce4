/** The output of `npm run simulate -- coverage`. */
import type { FileCoverage, Unreached } from './unreached.ts';

export interface CoverageReport {
  readonly worlds: number;
  /** Seeds of worlds that broke an invariant. */
  readonly broken: readonly number[];
  readonly files: readonly FileCoverage[];
  /** Entries of the list of accepted blocks that nothing needs. */
  readonly needless: readonly string[];
}

type Sums = Pick<FileCoverage, 'blocks' | 'reachedBlocks' | 'lines' | 'reachedLines' | 'acceptedBlocks'>;

export function reportText({ worlds, broken, files, needless }: CoverageReport): string {
  const loaded = files.filter(({ isLoaded }) => isLoaded);
  const folders = Map.groupBy(loaded, ({ file }) => file.slice(0, file.lastIndexOf('/')));
  const missed = files.flatMap(({ unreached }) => unreached.filter(({ reason }) => reason === undefined));
  const accepted = files.flatMap(({ unreached }) => unreached.filter(({ reason }) => reason !== undefined));
  const unloaded = files.filter(({ isLoaded }) => !isLoaded);
  const lines = [row('', 'blocks', 'lines', 'accepted')];
  for (const [folder, own] of folders) {
    lines.push(sumRow(`${folder}/`, sumOf(own)));
    for (const file of own) lines.push(sumRow(`  ${file.file.slice(folder.length + 1)}`, file));
  }
  lines.push(sumRow('all loaded files', sumOf(loaded)), sumRow('all files', sumOf(files)), '');
  if (unloaded.length > 0) lines.push(`No world loads: ${unloaded.map(({ file }) => file).join(', ')}`, '');
  if (missed.length > 0) lines.push('Not reached:', ...missed.map(unreachedLine), '');
  if (needless.length > 0)
    lines.push('In unreached.json, but reached or gone:', ...needless.map((name) => `  ${name}`), '');
  if (broken.length > 0) lines.push(`Worlds that broke an invariant: ${broken.join(', ')}`);
  lines.push(
    `${worlds} worlds: ${share(sumOf(loaded))} of the blocks of loaded files reached; ` +
      `${missed.length} ranges not reached, ${accepted.length} more accepted`,
  );
  return lines.join('\n');
}

export const reportJson = (report: CoverageReport): string =>
  JSON.stringify({
    ...report,
    all: sumOf(report.files),
    loaded: sumOf(report.files.filter(({ isLoaded }) => isLoaded)),
  });

const unreachedLine = ({ file, line, endLine, words }: Unreached): string =>
  `  ${file}:${line}${endLine > line ? `-${endLine}` : ''}  ${words}`;

export function sumOf(files: readonly FileCoverage[]): Sums {
  const sum = (key: keyof Sums) => files.reduce((total, file) => total + file[key], 0);
  return {
    blocks: sum('blocks'),
    reachedBlocks: sum('reachedBlocks'),
    lines: sum('lines'),
    reachedLines: sum('reachedLines'),
    acceptedBlocks: sum('acceptedBlocks'),
  };
}

const share = ({ blocks, reachedBlocks }: Sums): string => percent(reachedBlocks, blocks);
const percent = (part: number, all: number): string =>
  all === 0 ? '-' : `${((100 * part) / all).toFixed(1)} %`;

const sumRow = (name: string, sums: Sums): string =>
  row(
    name,
    `${sums.reachedBlocks}/${sums.blocks} ${share(sums).padStart(7)}`,
    `${sums.reachedLines}/${sums.lines} ${percent(sums.reachedLines, sums.lines).padStart(7)}`,
    sums.acceptedBlocks === 0 ? '' : String(sums.acceptedBlocks),
  );

const row = (name: string, blocks: string, lines: string, accepted: string): string =>
  `${name.padEnd(28)}${blocks.padStart(20)}${lines.padStart(20)}${accepted.padStart(10)}`.trimEnd();
