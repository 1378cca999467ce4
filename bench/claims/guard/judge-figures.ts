/** Compares figures with those of a record: more is worse. */
import { type Figure, thousands } from '../../harness/record.ts';

export interface Judgement {
  /** For people: a line for each figure. */
  readonly lines: readonly string[];
  /** A figure is above its limit. */
  readonly hasFailed: boolean;
}

/** Counts are nearly the same in each run. */
const COUNT_LIMIT = 1.02;
/** Ratios of CPU times differ by some percent on a machine with other load. */
const RATIO_LIMIT = 1.25;
const RATIO_REMARK = 1.08;

/**
 * `recorded`: by the names of the figures; one that is not there is new. Ratios are those whose names end so. `isSameMachine`:
 * the record is of such a machine. Ratios of another one are shown alone: processors hash, unzip and collect garbage by
 * several cores each at its own speed.
 */
export function judgeFigures(
  figures: Readonly<Record<string, Figure>>,
  recorded: Readonly<Record<string, number>>,
  isSameMachine = true,
): Judgement {
  let hasFailed = false;
  const lines = Object.entries(figures).map(([name, { value, unit }]) => {
    const before = recorded[name];
    const line = `${thousands(value)} ${unit}`;
    if (before === undefined) return `${line}: no record`;
    const isRatio = name.endsWith('Ratio');
    const change = value / before;
    const isAbove = isRatio ? isSameMachine && change > RATIO_LIMIT : change > COUNT_LIMIT;
    hasFailed ||= isAbove;
    const percent = `${change < 1 ? '' : '+'}${((change - 1) * 100).toFixed(1)} %`;
    const remark = isAbove ? ': too much' : isRatio && change > RATIO_REMARK ? ': look at it' : '';
    const where = isRatio && !isSameMachine ? ' on another machine' : '';
    return `${line}, recorded${where} ${thousands(before)}: ${percent}${remark}`;
  });
  return { lines, hasFailed };
}
