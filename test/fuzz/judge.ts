/**
 * Judges what a parser does with one recipe: exceptions and properties of the small document, time and memory
 * of large ones.
 */
import { recentSlowness, slowness } from './calibrate.ts';
import { heldBy, heldByEach, leastCpuOf, measured, runFor, undisturbedCpuOf } from './measure.ts';
import { DEEP, fixedLength, inWords, largeText, type Recipe, smallText } from './recipe.ts';
import type { FuzzTarget } from './target.ts';

/** The figures of one target, for the table. */
export interface Figures {
  runs: number;
  bytes: number;
  /** The worst cost of documents of the judged sizes. */
  worstUsPerByte: number;
  /** CPU at four times the size, by CPU at the size; confirmed ones only if they are above the limit. */
  worstGrowth: number;
  worstHeldPerByte: number;
}

export const noFigures = (): Figures => ({
  runs: 0,
  bytes: 0,
  worstUsPerByte: 0,
  worstGrowth: 0,
  worstHeldPerByte: 0,
});

/** The parser broke a promise. The message says which, with the document. */
export class Finding extends Error {
  override name = 'Finding';
}

/**
 * Where the sizes begin: a quadratic parser that takes a nanosecond a step is above all limits here already.
 */
const FIRST_BYTES = 8 * 1024;
/** CPU of four times the size may be eight times as much: between linear, 4, and quadratic, 16. */
const MAX_GROWTH = 8;
/** Each doubling must have a part in the growth: a step at some size is none. */
const MAX_DOUBLING = 2.5;
/** Less CPU than this, in microseconds, says nothing about growth. */
const LEAST_CPU = 20_000;
/** The factor that a byte may take longer at a deeper nesting, such as 600 open elements instead of 60. */
const MAX_DEPTH_GROWTH = 4;
/** Much more CPU is not spent on one recipe: the sizes so far show its growth. */
const ENOUGH_CPU = 400_000;
/** A document whose CPU grows like this is tried at the next size, too. */
const SUSPICIOUS_GROWTH = 5.5;
/** The part of its slowness of the last seconds that the machine has at least. */
const LEAST_SLOWNESS = 0.8;
/** A measurement is made so often, and all must agree, before it counts as a finding. */
const CONFIRMATIONS = 3;
const RUNS = 3;
/** As much CPU as V8 needs to compile what runs, in microseconds. */
const COMPILING_CPU = 300_000;
/** The memory that a result may hold, however small its document. */
const HELD_FREE = 4 * 1024 * 1024;
/**
 * The maximal number of results, and of bytes, that are held at once to confirm that memory grows with each
 * result.
 */
const MAX_RESULTS_HELD = 4;
const MAX_BYTES_HELD = 200 * 1024 * 1024;

/** Throws {@link Finding}. */
export async function judge(target: FuzzTarget, recipe: Recipe, figures: Figures): Promise<void> {
  const { encoding = 'utf8' } = target;
  const small = Buffer.from(smallText(recipe), encoding);
  await judgeSmall(target, small, recipe.isChecked, figures);
  await judgeLarge(target, recipe, (bytes) => sized(target, recipe, bytes, figures), figures);
}

interface Sized {
  /** The length of the document or of the parser's input, the longer one. */
  readonly bytes: number;
  readonly input: Buffer;
}

/** The recipe's document with about this number of characters. */
export async function sized(
  target: FuzzTarget,
  recipe: Recipe,
  length: number,
  figures: Figures,
  depth = DEEP,
): Promise<Sized> {
  const text = largeText(recipe, length, depth);
  const document = Buffer.from(text, target.encoding ?? 'utf8').subarray(0, target.maxBytes);
  figures.runs++;
  figures.bytes += document.length;
  const input = (await target.prepare?.(document)) ?? document;
  return { bytes: Math.max(document.length, input.length), input };
}

async function judgeSmall(
  target: FuzzTarget,
  document: Buffer,
  isChecked: boolean,
  figures: Figures,
): Promise<void> {
  figures.runs++;
  figures.bytes += document.length;
  const input = (await target.prepare?.(document)) ?? document;
  const show = () => `${target.name}: ${JSON.stringify(document.toString(target.encoding ?? 'utf8'))}`;
  try {
    await target.run(input);
  } catch (error) {
    if (!target.isDocumented?.(error))
      throw new Finding(`${show()} throws ${shown(error)}`, { cause: error });
  }
  try {
    if (isChecked) await target.check?.(input, document);
  } catch (error) {
    throw new Finding(`${show()} breaks a property: ${shown(error)}`, { cause: error });
  }
}

async function judgeLarge(
  target: FuzzTarget,
  recipe: Recipe,
  large: (bytes: number) => Promise<Sized>,
  figures: Figures,
): Promise<void> {
  const first = Math.min(FIRST_BYTES, target.maxBytes / 4);
  // On a machine that is busy every document would look expensive, and be tried at all sizes.
  const machine = await recentSlowness();
  const highUsPerByte = (target.maxUsPerByte / 2) * machine;
  let before = Number.POSITIVE_INFINITY;
  let more = recipe.sizes;
  for (let bytes = first; bytes <= target.maxBytes; bytes *= 4) {
    const { bytes: size, input } = await large(bytes);
    let { cpu, error } = await measured(() => target.run(input));
    if (error !== undefined && !target.isDocumented?.(error))
      throw new Finding(`${target.name}: ${size} bytes: throws ${shown(error)}: ${inWords(recipe)}`);
    // A slow run may have been disturbed, or not be compiled yet.
    if (cpu > highUsPerByte * size) cpu = Math.min(cpu, await leastCpuOf(() => target.run(input), 2));
    if (isTooSlow(target, size, cpu / Math.max(1, machine * LEAST_SLOWNESS)))
      cpu = await confirmedSlow(target, recipe, { bytes: size, input }, figures);
    const isGrowing = cpu > LEAST_CPU && cpu > MAX_GROWTH * before;
    if (isGrowing) await confirmGrowth(target, recipe, bytes / 4, large, figures);
    if (recipe.deep !== '' && bytes >= 16 * first && cpu > LEAST_CPU) {
      await judgeDepth(target, recipe, { bytes, cpu }, figures);
    }
    figures.worstUsPerByte = Math.max(figures.worstUsPerByte, cpu / machine / Math.max(size, first));
    const isDear = cpu > highUsPerByte * size;
    const isFaster = before < cpu && cpu > SUSPICIOUS_GROWTH * before;
    const isLast = bytes * 4 > target.maxBytes || cpu > ENOUGH_CPU || !(isDear || isFaster || more-- > 0);
    if (isLast && bytes >= 16 * first) await judgeMemory(target, recipe, { bytes: size, input }, figures);
    if (isLast) return;
    before = cpu;
  }
}

const isTooSlow = (target: FuzzTarget, bytes: number, cpu: number): boolean =>
  cpu > target.maxUsPerByte * Math.max(bytes, FIRST_BYTES / 2);

/**
 * The least CPU of several runs; throws if it stays too much however often it is measured, and also as time
 * on a machine that is not busy.
 */
async function confirmedSlow(
  target: FuzzTarget,
  recipe: Recipe,
  { bytes, input }: Sized,
  figures: Figures,
): Promise<number> {
  let cpu = Number.POSITIVE_INFINITY;
  for (let i = 0; i < CONFIRMATIONS; i++) {
    cpu = Math.min(cpu, (await undisturbedCpuOf(() => target.run(input), RUNS)) / (await slowness()));
    if (!isTooSlow(target, bytes, cpu)) return cpu;
    // Other targets of the process may have had V8 discard the compiled code: some runs of a small document do not bring it back.
    if (i === 0) await runFor(() => target.run(input), COMPILING_CPU);
  }
  figures.worstUsPerByte = Math.max(figures.worstUsPerByte, cpu / bytes);
  throw new Finding(
    `${target.name}: ${bytes} bytes take ${(cpu / 1000).toFixed(1)} ms of CPU, ${(cpu / bytes).toFixed(2)} us a byte; ` +
      `at most ${target.maxUsPerByte} expected: ${inWords(recipe)}`,
  );
}

async function confirmGrowth(
  target: FuzzTarget,
  recipe: Recipe,
  bytes: number,
  large: (bytes: number) => Promise<Sized>,
  figures: Figures,
): Promise<void> {
  const inputs = [await large(bytes), await large(2 * bytes), await large(4 * bytes)];
  let growth = Number.POSITIVE_INFINITY;
  let cpus: number[] = [];
  for (let i = 0; i < CONFIRMATIONS; i++) {
    cpus = [];
    for (const { input } of inputs) cpus.push(await undisturbedCpuOf(() => target.run(input), RUNS));
    const [one = 0, two = 0, four = 0] = cpus;
    growth = Math.min(growth, four / one);
    const isSteady = two > MAX_DOUBLING * one && four > MAX_DOUBLING * two;
    if (growth <= MAX_GROWTH || !isSteady || four < LEAST_CPU) {
      if (growth <= MAX_GROWTH) figures.worstGrowth = Math.max(figures.worstGrowth, growth);
      return;
    }
  }
  // Where a cache overflows or objects grow old, CPU steps up between two sizes. What is not linear continues
  // to grow.
  const four = cpus[2] ?? 0;
  if (16 * bytes <= target.maxBytes && four < ENOUGH_CPU) {
    const { input } = await large(16 * bytes);
    if ((await undisturbedCpuOf(() => target.run(input), RUNS)) <= MAX_GROWTH * four) return;
  }
  figures.worstGrowth = Math.max(figures.worstGrowth, growth);
  const said = cpus.map((cpu, i) => `${(cpu / 1000).toFixed(1)} ms for ${inputs[i]?.bytes} bytes`).join(', ');
  throw new Finding(`${target.name}: CPU grows faster than the document: ${said}: ${inWords(recipe)}`);
}

/**
 * Documents that differ only in how much is open around what they repeat: it must not be looked through each
 * time.
 */
async function judgeDepth(
  target: FuzzTarget,
  recipe: Recipe,
  { bytes, cpu }: { bytes: number; cpu: number },
  figures: Figures,
): Promise<void> {
  const few = DEEP / 10;
  const within = (depth: number) => sized(target, recipe, bytes + fixedLength(recipe, depth), figures, depth);
  const flatDocument = await within(few);
  // Far below the limit neither has to be measured with care.
  if (cpu < (MAX_DEPTH_GROWTH / 2) * (await leastCpuOf(() => target.run(flatDocument.input), 1))) return;
  const deepDocument = await within(DEEP);
  const cpuOf = ({ input }: Sized) => undisturbedCpuOf(() => target.run(input), RUNS);
  let [deep, flat] = [0, 0];
  for (let i = 0; i < CONFIRMATIONS; i++) {
    deep = await cpuOf(deepDocument);
    flat = await cpuOf(flatDocument);
    if (deep < LEAST_CPU || deep < MAX_DEPTH_GROWTH * flat) return;
  }
  const inMs = (cpu: number) => `${(cpu / 1000).toFixed(1)} ms`;
  throw new Finding(
    `${target.name}: ${bytes} bytes take ${inMs(deep)} of CPU within ${DEEP} of ${JSON.stringify(recipe.deep)}, ` +
      `${inMs(flat)} within ${few}: ${inWords(recipe)}`,
  );
}

async function judgeMemory(
  target: FuzzTarget,
  recipe: Recipe,
  { bytes, input }: Sized,
  figures: Figures,
): Promise<void> {
  const limit = HELD_FREE + target.maxHeldPerByte * bytes;
  let held = await heldBy(() => target.run(input));
  for (let i = 0; i < CONFIRMATIONS && held > limit; i++)
    held = Math.min(held, await heldByEach(() => target.run(input), resultsToHold(held)));
  figures.worstHeldPerByte = Math.max(figures.worstHeldPerByte, (held - HELD_FREE) / bytes);
  if (held <= limit) return;
  throw new Finding(
    `${target.name}: of ${bytes} bytes each result holds ${held.toFixed(0)} bytes of memory, ` +
      `at most ${target.maxHeldPerByte} a byte expected: ${inWords(recipe)}`,
  );
}

const resultsToHold = (bytesOfEach: number): number =>
  Math.max(1, Math.min(MAX_RESULTS_HELD, Math.floor(MAX_BYTES_HELD / bytesOfEach)));

const shown = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? String(error)) : String(error);
