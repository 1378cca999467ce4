/** Time of a CPU profile by step: each sample belongs to one step, so that the steps add up to the whole. */

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** As the inspector gives it, as far as it is looked at. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Node of each sample. */
  readonly samples?: readonly number[];
  /** Microseconds between a sample and the one before. */
  readonly timeDeltas?: readonly number[];
}

/** The first that matches the innermost frame that any rule matches says the step. */
export interface StepRule {
  readonly step: string;
  /** On the frame's file: its URL with `/` between folders. */
  readonly file: RegExp;
  /** On the function's name; default: any. */
  readonly name?: RegExp;
}

export const IDLE = 'idle';

/** Frames that V8 makes up, and the steps that they are. */
const OF_ENGINE: Readonly<Record<string, string>> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'system calls and native code outside of functions',
  '(idle)': IDLE,
};

/** Microseconds by step, {@link IDLE} among them; their sum is that of all samples. */
export function stepTimes(
  { nodes, samples = [], timeDeltas = [] }: CpuProfile,
  rules: readonly StepRule[],
  otherwise: string,
): Map<string, number> {
  const steps = stepsOfNodes(nodes, rules, otherwise);
  const times = new Map<string, number>();
  for (const [i, node] of samples.entries()) {
    const step = steps.get(node) ?? otherwise;
    // The clock of samples may step back by a little.
    times.set(step, (times.get(step) ?? 0) + Math.max(0, timeDeltas[i] ?? 0));
  }
  return times;
}

function stepsOfNodes(
  nodes: readonly ProfileNode[],
  rules: readonly StepRule[],
  otherwise: string,
): Map<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isChild = new Set(nodes.flatMap(({ children = [] }) => children));
  const steps = new Map<number, string>();
  const open = nodes.filter(({ id }) => !isChild.has(id)).map((node) => ({ node, inherited: otherwise }));
  for (let next = open.pop(); next; next = open.pop()) {
    const step = ownStep(next.node, rules) ?? next.inherited;
    steps.set(next.node.id, step);
    for (const id of next.node.children ?? []) {
      const node = byId.get(id);
      if (node) open.push({ node, inherited: step });
    }
  }
  return steps;
}

function ownStep(
  { callFrame: { functionName, url } }: ProfileNode,
  rules: readonly StepRule[],
): string | undefined {
  if (url === '' && functionName in OF_ENGINE) return OF_ENGINE[functionName];
  return rules.find(({ file, name }) => file.test(url) && (name === undefined || name.test(functionName)))
    ?.step;
}
