/**
 * The names of strikes on the command line, so that a strike can be repeated: `pages:1:create lock 0a1b2c3d
 * 1=fail EIO`.
 */
import { UsageError } from '../../cli/usage-error.ts';
import { DISK_OPS, type DiskOp } from './disk-log.ts';
import { LOSSES, type Loss } from './disk-model.ts';
import { type DiskFault, pointText } from './fault-disk.ts';
import { type Harm, SCENARIO_NAMES, type ScenarioName } from './scenarios.ts';
import type { Strike, WorldSpec } from './world.ts';

const CODES = ['ENOSPC', 'EIO', 'EMFILE'] as const;

/** Scenario, seed of its web, and the strikes of its processes. */
export const worldText = ({ scenario, seed, strikes, harm }: WorldSpec): string =>
  [scenario, seed, ...strikes.map(strikeText), ...(harm ? [harmText(harm)] : [])].join(':');

const harmText = ({ what, page, afterMs }: Harm): string => `thread ${what} ${page} ${afterMs}`;

const strikeText = ({ point, fault, loss }: Strike): string =>
  `${pointText(point)}=${faultText(fault)}${loss === undefined ? '' : ` loss ${loss}`}`;

function faultText(fault: DiskFault): string {
  if (fault.kind === 'fail') return `fail ${fault.errno}${fault.goesOn ? ' on' : ''}`;
  return 'ms' in fault ? `${fault.kind} ${fault.ms}` : fault.kind;
}

/** Throws {@link UsageError}. */
export function readWorld(text: string): WorldSpec {
  const [scenario = '', seed, ...all] = text.split(':');
  const harm = /^thread (exit|loop|memory) (\d{1,6}) (\d{1,6})$/.exec(all.at(-1) ?? '');
  const strikes = harm ? all.slice(0, -1) : all;
  if (!SCENARIO_NAMES.includes(scenario as ScenarioName) || !/^\d+$/.test(seed ?? '')) throw unreadable(text);
  return {
    scenario: scenario as ScenarioName,
    seed: Number(seed),
    strikes: strikes.map(readStrike),
    ...(harm && { harm: { what: harm[1] as Harm['what'], page: Number(harm[2]), afterMs: Number(harm[3]) } }),
  };
}

function readStrike(text: string): Strike {
  const [point = '', fault = ''] = text.split('=');
  const [op = '', fileKind = '', stack = '', n = ''] = point.split(' ');
  const [kind = '', value = '', ...more] = fault.split(' ');
  const loss = fault.split(' loss ')[1] as Loss | undefined;
  if (!DISK_OPS.includes(op as DiskOp) || !/^[0-9a-f]{8}$/.test(stack) || !/^\d+$/.test(n))
    throw unreadable(text);
  if (loss !== undefined && !LOSSES.includes(loss)) throw unreadable(text);
  return {
    point: { op: op as DiskOp, fileKind, stack: Number.parseInt(stack, 16), n: Number(n) },
    fault: readFault(kind, value, more.includes('on'), text),
    ...(loss !== undefined && { loss }),
  };
}

function readFault(kind: string, value: string, goesOn: boolean, text: string): DiskFault {
  switch (kind) {
    case 'killBefore':
    case 'killAfter':
    case 'tear':
      return { kind };
    case 'stall':
    case 'clock':
      if (/^-?\d+$/.test(value)) return { kind, ms: Number(value) };
      break;
    case 'fail': {
      const errno = CODES.find((code) => code === value);
      if (errno) return { kind, errno, goesOn };
    }
  }
  throw unreadable(text);
}

const unreadable = (text: string) =>
  new UsageError(
    `Expected a world as this program prints it, such as pages:1:sync warc.open 0a1b2c3d 2=killBefore, got ${text}`,
  );
