/**
 * Crawls under the CPU profiler, in a process of its own: `node profiled-crawl.ts FOLDER SEEDS CONFIG OUT`.
 * OUT becomes a {@link ProfiledCrawl} in JSON.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { beginCrawl } from '../../../shared/engines/local/session/session.ts';
import { tuneV8, tuneV8ForCrawl } from '../../../shared/engines/tune-v8.ts';
import { planCrawl } from '../../../shared/services/begin/plan-crawl.ts';
import { FEATURES, NO_FEATURE } from './features.ts';
import { type CpuProfile, IDLE, stepTimes } from './profile.ts';
import { OTHERWISE, STEPS } from './steps.ts';
import { sharedOut, threadTimes } from './thread-times.ts';

/** CPU in ms, of the whole process. */
export interface ProfiledCrawl {
  readonly cpuMs: number;
  /** Their sum is `cpuMs`. */
  readonly steps: Readonly<Record<string, number>>;
  /** In the functions of features: parts of `cpuMs`, too. */
  readonly features: Readonly<Record<string, number>>;
}

/** Short compared with a step of a page, long compared with the cost of a sample. */
const INTERVAL_US = 200;

const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;

async function crawl(folder: string, seedsFile: string, configFile: string): Promise<ProfiledCrawl> {
  tuneV8();
  tuneV8ForCrawl();
  const beginning = ms(process.cpuUsage());
  const mainBefore = ms(process.threadCpuUsage());
  const threadsBefore = threadTimes();
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await inspector.post('Profiler.start');
  const seeds = readFileSync(seedsFile, 'utf8').trim().split('\n');
  const options = JSON.parse(readFileSync(configFile, 'utf8'));
  const session = await beginCrawl(folder, planCrawl({ seeds, options }), { software: 'Strand/bench' });
  await session.run({ signal: new AbortController().signal });
  await session.close();
  const cpuMs = ms(process.cpuUsage());
  const mainMs = ms(process.threadCpuUsage()) - mainBefore;
  const otherMs = Math.max(0, cpuMs - beginning - mainMs);
  const threads = sharedOut(otherMs, threadsBefore, threadTimes());
  const { profile } = await inspector.post('Profiler.stop');
  const times = stepTimes(profile as CpuProfile, STEPS, OTHERWISE);
  times.delete(IDLE);
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0);
  // A sample's time is the clock's, also while others have the core: what counts is its share of the thread's
  // CPU.
  const cpuOf = (time: number) => (time / busy) * mainMs;
  const ofMain = [...times].map(([step, time]) => [step, cpuOf(time)] as const);
  const steps = Object.fromEntries([['start of the process', beginning], ...ofMain, ...threads]);
  const byFeature = stepTimes(profile as CpuProfile, FEATURES, NO_FEATURE);
  const names = new Set(FEATURES.map(({ step }) => step).filter((step) => step !== NO_FEATURE));
  const features = Object.fromEntries([...names].map((name) => [name, cpuOf(byFeature.get(name) ?? 0)]));
  return { cpuMs, steps, features };
}

const [folder, seeds, config, out] = process.argv.slice(2) as [string, string, string, string];
writeFileSync(out, JSON.stringify(await crawl(folder, seeds, config)));
