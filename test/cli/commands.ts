/** Command lines as the program reads them, with the files of all commands loaded. */
import { type Command, parseArgs } from '../../cli/args.ts';
import { onThisMachine } from '../../cli/here.ts';
import { answer } from '../../cli/on-stack.ts';
import type { OptionSpec } from '../../cli/option-spec.ts';
import type { PlaceOutput, StackSession } from '../../cli/place.ts';
import { allOptionsOf } from '../../cli/verb.ts';
import { loadAll, TABLE, VERBS, type Verb } from '../../cli/verbs.ts';

export const FILES = await loadAll();

export const optionsOf = (verb: Verb): readonly OptionSpec[] => allOptionsOf(TABLE[verb], FILES[verb]);

/** Those of all commands. */
export const OPTIONS: readonly OptionSpec[] = VERBS.flatMap(optionsOf);

/** The command in one object: its verb and place, and what was asked. */
export async function parsed(words: readonly string[]): Promise<Record<string, unknown>> {
  const command = await parseArgs(words);
  if (command === 'version') return { verb: command };
  const { verb, address, json, asked } = command;
  const other = address === undefined ? 'stack' : 'here';
  const hasJson = optionsOf(verb).some(({ name, only }) => name === 'json' && only !== other);
  const own = typeof asked === 'object' ? asked : { crawl: asked };
  return { verb, ...address, ...(hasJson && { json }), ...own };
}

/** Runs the command of these words on this machine. */
export async function runHere(...words: string[]): Promise<number> {
  const { verb, json, asked } = (await parseArgs(words)) as Command;
  return onThisMachine(json, (place) => FILES[verb].run(asked, place, TABLE));
}

/** Runs the command of these words on a stack. */
export async function runOnStack(
  words: readonly string[],
  session: StackSession,
  output: PlaceOutput,
): Promise<number> {
  const { verb, address, json, asked } = (await parseArgs(words)) as Command;
  if (address === undefined) throw new Error('expected a command for a stack');
  const work = { address, json, options: FILES[verb].options };
  return answer(session, { ...work, work: (place) => FILES[verb].run(asked, place, TABLE) }, output);
}
