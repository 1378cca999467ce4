/** The question of a case, and its answer: JSON objects, whose inputs are read with a check of their type. */

export type Question = Readonly<Record<string, unknown>>;
export type Answer = Readonly<Record<string, unknown>>;
/** Throws, with a message for people, for inputs that are none. */
export type Operation = (question: Question) => Answer | Promise<Answer>;

export function textOf(question: Question, name: string): string {
  const value = question[name];
  if (typeof value === 'string') return value;
  throw new Error(`Expected \`${name}\` to be text, got ${JSON.stringify(value)?.slice(0, 200)}`);
}

/** Undefined where the input is absent or null. */
export function optionalTextOf(question: Question, name: string): string | undefined {
  return question[name] === undefined || question[name] === null ? undefined : textOf(question, name);
}

/** Bytes given as they are under `{name}_b64`, or as text under `name`, which is UTF-8. */
export function bytesOf(question: Question, name: string): Uint8Array {
  const encoded = optionalTextOf(question, `${name}_b64`);
  return encoded === undefined ? Buffer.from(textOf(question, name)) : Buffer.from(encoded, 'base64');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
