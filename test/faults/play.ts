/** Plays one world: a crawl by the real program, struck by faults, and continued with until it is over. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdsCrawl } from '../../shared/engines/local/database.ts';
import { foldersOf } from '../../shared/engines/local/folders.ts';
import { hash, stream } from '../web/random.ts';
import { startWeb } from '../web/server.ts';
import { committedIn } from './committed.ts';
import { readDiskLog } from './disk-log.ts';
import { createDiskModel, writeContents } from './disk-model.ts';
import { type DiskOptions, diskEnvironment } from './fault-disk.ts';
import { judge } from './judge.ts';
import { judgeLeg } from './judge-leg.ts';
import { projectText, scenarioOf } from './scenarios.ts';
import type { Leg, Strike, World, WorldSpec } from './world.ts';

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url));
/** A process that takes longer hangs. */
const HANG_MS = 300_000;
/** A crawl that has not ended after this number of processes without faults never ends. */
const MAX_CLEAN_LEGS = 3;

const SMALL_HEAP_MB = 120;

export interface Played {
  readonly legs: readonly Leg[];
  /** When the web was asked, in ms since the epoch. */
  readonly requests: readonly number[];
  /** A line for each thing that is wrong. */
  readonly violations: readonly string[];
}

export interface PlayOptions {
  /** The library of the faulty disk (`fault-disk.ts`). */
  readonly library: string;
  /** An address of the loopback network of its own, so that worlds may run side by side. */
  readonly address: string;
  /** Keeps the folder of a world that broke an invariant. */
  readonly keep?: (folder: string) => void;
}

export async function playWorld(spec: WorldSpec, options: PlayOptions): Promise<Played> {
  const scenario = scenarioOf(spec.scenario);
  const parent = mkdtempSync(join(tmpdir(), 'strand-faults-'));
  const folder = join(parent, 'crawl');
  const project = join(parent, 'strand.config.mjs');
  const mark = join(parent, 'harm');
  writeFileSync(project, projectText(scenario, mark, spec.harm));
  const harmedBy = () => (existsSync(mark) ? readFileSync(mark, 'utf8') : undefined);
  const running = await startWeb(scenario.web(spec.seed), { address: options.address, latencyMs: 2 });
  const legs: Leg[] = [];
  const world: World = { spec, scenario, folder, running, legs, harmedBy };
  let violations: string[] = [];
  try {
    for (let clean = 0; ; ) {
      const strike = spec.strikes[legs.length];
      const leg = await playLeg(world, strike, project, options.library);
      legs.push(leg);
      violations.push(...judgeLeg(world, leg));
      if (leg.code === (scenario.maxPages === undefined ? 0 : 3)) break;
      if (!strike && ++clean === MAX_CLEAN_LEGS) {
        violations.push(`not over after ${clean} processes without faults: ${leg.err.trim()}`);
        break;
      }
    }
    if (violations.length === 0) violations = await judge(world);
  } finally {
    await running.stop();
    if (violations.length > 0 && options.keep) options.keep(parent);
    else rmSync(parent, { recursive: true, force: true });
  }
  return { legs, requests: running.log.map(({ startedAt }) => startedAt), violations };
}

async function playLeg(
  { spec, scenario, folder, running, legs }: World,
  strike: Strike | undefined,
  project: string,
  library: string,
): Promise<Leg> {
  const verb = legs.at(-1)?.holdsCrawl ? 'resume' : 'crawl';
  const log = strike || spec.isRecorded ? `${folder}.log` : undefined;
  if (log) rmSync(log, { force: true });
  const model =
    strike?.loss === undefined ? undefined : createDiskModel(existsSync(folder) ? folder : undefined);
  const disk: DiskOptions = { folder, log, fault: strike, keepsData: model !== undefined };
  const { maxPages, workers, delayMs } = scenario;
  const begins = [
    ...running.seeds,
    ...['--resolve', `*.test=${running.address}`, '--allow-private-addresses', '--contact', 'me@example.org'],
    ...['--delay', `${delayMs}ms`, '--no-adaptive', '--out', folder],
    ...(maxPages === undefined ? [] : ['--max-pages', String(maxPages)]),
  ];
  const args = verb === 'crawl' ? begins : [folder];
  const startedAt = now();
  const ended = await run([verb, ...args, '--config', project, '--workers', `${workers}`, '--json'], {
    ...process.env,
    // Soon full, and not at the machine's cost.
    ...(spec.harm?.what === 'memory' && { NODE_OPTIONS: `--max-old-space-size=${SMALL_HEAP_MB}` }),
    ...(log !== undefined && diskEnvironment(library, disk)),
  });
  const calls = log === undefined ? [] : readDiskLog(log);
  if (model && existsSync(folder)) {
    for (const call of calls) model.apply(call);
    const random = stream(spec.seed, hash(...legs.map(({ code }) => `${code}`)), 'loss');
    writeContents(folder, model.afterLoss(strike!.loss!, random));
  }
  return {
    ...{ verb, strike, startedAt, endedAt: now(), ...ended, calls },
    wasStruck: calls.some(({ hasFault }) => hasFault),
    ...(await lookInto(folder)),
  };
}

const now = (): number => performance.timeOrigin + performance.now();

/** Returns the contents of the folder, by a copy of it: reading it may change its files. */
async function lookInto(folder: string): Promise<Pick<Leg, 'committed' | 'holdsCrawl'>> {
  const copy = `${folder}.copy`;
  rmSync(copy, { recursive: true, force: true });
  if (existsSync(folder)) cpSync(folder, copy, { recursive: true });
  const holds = holdsCrawlIn(copy);
  const committed = await committedIn(holds ? copy : undefined);
  rmSync(copy, { recursive: true, force: true });
  return { holdsCrawl: holds, committed };
}

const holdsCrawlIn = (folder: string): boolean => holdsCrawl(foldersOf(folder).database);

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Pick<Leg, 'code' | 'signal' | 'err'>> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const hang = setTimeout(() => child.kill('SIGKILL'), HANG_MS);
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(hang);
      resolve({ code, signal, err });
    });
  });
}
