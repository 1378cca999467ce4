import type { z } from 'zod';

/** The parts of zod's own description of a schema that are used here (`zod/v4/core`, `schemas.ts`). */
interface Described {
  readonly def: {
    /** The wrapped schema: with a default, or optional, nullable, read-only. */
    readonly innerType?: Described;
    /** The first schema of a pipe. */
    readonly in?: Described;
    /** The elements of an array, a tuple, a record. */
    readonly element?: Described;
    readonly items?: readonly Described[];
    readonly valueType?: Described;
    readonly shape?: Readonly<Record<PropertyKey, Described>>;
  };
}

/** The keys of the object that the schema wants at `path`; none where it wants no object there. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at = unwrapped(schema as Described);
  for (const part of path) {
    const { shape, element, items, valueType } = at?.def ?? {};
    at = unwrapped(shape?.[part] ?? items?.[Number(part)] ?? element ?? valueType);
  }
  return Object.keys(at?.def.shape ?? {});
}

function unwrapped(schema: Described | undefined): Described | undefined {
  let inner = schema;
  while (inner !== undefined) {
    const next: Described | undefined = inner.def.innerType ?? inner.def.in;
    if (next === undefined) break;
    inner = next;
  }
  return inner;
}
