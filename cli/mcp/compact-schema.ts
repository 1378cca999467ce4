/** Schemas of tools as JSON Schema without what says nothing: a list of tools is a part of each conversation. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** Checks as the schema does, and is listed in few bytes. */
export function compactSchema<Value>(schema: z.ZodType<Value>): StandardSchemaWithJSON<unknown, Value> {
  const standard = (schema as unknown as StandardSchemaWithJSON<unknown, Value>)['~standard'];
  const { jsonSchema } = standard;
  return {
    '~standard': {
      ...standard,
      jsonSchema: {
        input: (options) => compact(jsonSchema.input(options)) as Record<string, unknown>,
        output: (options) => compact(jsonSchema.output(options), true) as Record<string, unknown>,
      },
    },
  };
}

/** Bounds: a call that breaks one is refused with it. */
const BOUNDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minimum', 'minItems', 'maxItems']);
/** An answer has what its tool gives: which keys are always there need not be said. */
const OF_ANSWERS: ReadonlySet<string> = new Set(['required', 'additionalProperties', 'maximum']);

function compact(value: unknown, isAnswer = false): unknown {
  if (Array.isArray(value)) return value.map((one) => compact(one, isAnswer));
  if (typeof value !== 'object' || value === null) return value;
  // A list of properties may have one of any name.
  const isSchema = typeof (value as { type?: unknown }).type === 'string';
  const entries = Object.entries(value).filter(([key, one]) => !isSchema || !isNeedless(key, one, isAnswer));
  return Object.fromEntries(entries.map(([key, one]) => [key, compact(one, isAnswer)]));
}

const isNeedless = (key: string, value: unknown, isAnswer: boolean): boolean =>
  key === '$schema' ||
  key === 'propertyNames' ||
  (isAnswer && OF_ANSWERS.has(key)) ||
  BOUNDS.has(key) ||
  (key === 'maximum' && value === Number.MAX_SAFE_INTEGER);
