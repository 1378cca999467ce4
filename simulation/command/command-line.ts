import { callFaultText } from '../models/call-faults.ts';
import { FAULT_NAMES } from '../models/faults.ts';
import type { WorldSpec } from '../worlds/spec.ts';

/** The command that runs the world again and shows what happened: one line, to be copied. */
export function replayCommand({
  seed,
  faults,
  hosts,
  pages,
  crowd,
  poisoned,
  refused,
  members,
  locked,
  rendered,
  maxStrikes,
  strike,
}: WorldSpec): string {
  const names =
    faults.length === 0 ? 'none' : faults.length === FAULT_NAMES.length ? 'all' : faults.join(',');
  const words = ['npm run simulate --', `--seed ${seed}`, `--faults ${names}`];
  if (hosts !== undefined) words.push(`--hosts ${hosts}`);
  if (pages !== undefined) words.push(`--pages ${pages}`);
  if (crowd !== undefined) words.push(`--crowd ${crowd}`);
  if (poisoned) words.push('--poisoned');
  if (refused) words.push('--refused');
  if (members) words.push('--members');
  if (locked) words.push('--locked');
  if (rendered) words.push('--rendered');
  if (maxStrikes !== undefined) words.push(`--max-strikes ${maxStrikes}`);
  if (strike !== undefined) words.push(`--strike ${callFaultText(strike)}`);
  return [...words, '--replay'].join(' ');
}
