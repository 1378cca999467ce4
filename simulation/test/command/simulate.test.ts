/**
 * The crawler's proof in small: worlds by the hundreds, by the command that also runs them by the millions.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readCorpus } from '../../command/corpus.ts';
import { FAULT_NAMES } from '../../models/faults.ts';
import { EXCUSE_NAMES, EXCUSES, type ExcuseName } from '../../worlds/spec.ts';

const PROGRAM = fileURLToPath(new URL('../../command/simulate.ts', import.meta.url));
/** The worlds of the corpus take 80 s on two free cores, and many times that at low priority beside other tests. */
const LIMIT_MS = 1_500_000;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Broken {
  readonly invariants: readonly string[];
  /** The command that replays it. */
  readonly replay: string;
}

function simulate(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  // Its time is virtual: it leaves the processors to the tests beside it, which use the real time.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const texts = { out: '', err: '' };
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

test(
  '150 worlds with all faults break no invariant, and every fault strikes',
  async () => {
    const { code, out, err } = await simulate('--seeds', '150', '--quiet', '--json');
    expect(err).toBe('');
    const { seeds, broken, strikes, excuses } = JSON.parse(out);
    expect(broken.map(({ invariants, replay }: Broken) => `${invariants}: ${replay}`)).toEqual([]);
    expect(seeds).toBe(150);
    const worldsOf = (name: ExcuseName) => excuses[name]?.worlds ?? 0;
    const isTooOften = (name: ExcuseName) => worldsOf(name) > EXCUSES[name].maxShare * seeds;
    expect(EXCUSE_NAMES.filter(isTooOften).map((name) => `${name}: ${worldsOf(name)}`)).toEqual([]);
    expect(FAULT_NAMES.filter((name) => !(strikes[name] > 0))).toEqual([]);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);

test(
  '40 worlds without faults break no invariant: counters are exact there',
  async () => {
    const { code, out, err } = await simulate('--seeds', '40', '--faults', 'none', '--quiet', '--json');
    expect(err).toBe('');
    const { seeds, broken, strikes, excuses } = JSON.parse(out);
    expect(broken.map(({ invariants, replay }: Broken) => `${invariants}: ${replay}`)).toEqual([]);
    expect(seeds).toBe(40);
    expect(excuses).toEqual({});
    expect(FAULT_NAMES.filter((name) => strikes[name] > 0)).toEqual([]);
    expect(code).toBe(0);
  },
  LIMIT_MS,
);

test(
  'the worlds of the corpus, which found something before, break no invariant',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulate-'));
    try {
      // No time is left for new seeds: they would be others at each run.
      const ledger = join(folder, 'runs.jsonl');
      const { code, out, err } = await simulate('--budget', '1ms', '--ledger', ledger, '--quiet', '--json');
      expect(err).toBe('');
      const { seeds, broken } = JSON.parse(out);
      expect(broken.map(({ invariants, replay }: Broken) => `${invariants}: ${replay}`)).toEqual([]);
      expect(seeds).toBe(readCorpus().length);
      expect(code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  LIMIT_MS,
);

test(
  'a world follows from its seed alone, in any process and after any other worlds',
  async () => {
    const worlds = ['--seed', '40', '--seeds', '12', '--quiet', '--json', '--no-shrink'];
    const [alone, beside] = await Promise.all([
      simulate(...worlds, '--jobs', '1'),
      simulate(...worlds, '--jobs', '3'),
    ]);
    const { digest, figures } = JSON.parse(alone.out);
    expect(figures.pages).toBeGreaterThan(0);
    expect(JSON.parse(beside.out)).toMatchObject({ digest, figures });
  },
  LIMIT_MS,
);

test(
  'two replays of a world print the same, event by event',
  async () => {
    const replay = () => simulate('--seed', '7', '--replay', '--all');
    const [first, second] = await Promise.all([replay(), replay()]);
    expect(first.err).toBe('');
    expect(first.out.split('\n').length).toBeGreaterThan(100);
    expect(second).toEqual(first);
  },
  LIMIT_MS,
);
