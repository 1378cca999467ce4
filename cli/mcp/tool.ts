/** A tool as agents call it. */
import type { z } from 'zod';
import { createMarks, type Marks } from './page-text.ts';
import type { Session } from './session.ts';

/**
 * `read`: answers from crawls. `web`: may ask a site. `begin`, `end`: change something, and are there only if the operator
 * allows crawls.
 */
export type ToolKind = 'read' | 'web' | 'begin' | 'end';

export interface Tool<Input = never> {
  readonly name: string;
  readonly title: string;
  /** Two sentences: what it does, and when another tool is better. */
  readonly description: string;
  readonly kind: ToolKind;
  readonly input: z.ZodType<Input>;
  /** Without `untrusted`. */
  readonly output: z.ZodObject;
  /** An answer with text of pages says so: `untrusted: true`. */
  readonly hasPageText?: true;
  run(input: Input, call: Call): Promise<Readonly<Record<string, unknown>>>;
}

/** Infers what `run` gets from the schema of the input. */
export const tool = <Input>(made: Tool<Input>): Tool => made as unknown as Tool;

/** A call of a tool. */
export interface Call extends Marks {
  readonly session: Session;
  readonly signal: AbortSignal;
}

export const createCall = (session: Session, signal: AbortSignal): Call => ({
  ...createMarks(),
  session,
  signal,
});
