/** The kinds of settings: the schema of their values, and how these are written on the command line. */
import { z } from 'zod';
import { lazy } from '../../base/lazy.ts';
import { DOMAIN } from '../domains.ts';
import { isTimeZone } from '../time-zone.ts';
import type { About, Place, Setting, SettingGroup, Settings, ValueType } from './setting.ts';

export interface Kind<S extends z.ZodType> {
  /** Makes the schema of a value: many commands read the records, and few of them check a configuration. */
  readonly values: () => S;
  readonly type: ValueType;
  readonly argument?: string;
  readonly choices?: readonly string[];
  readonly isNegatable?: boolean;
}

interface MakeSetting {
  <
    S extends z.ZodType,
    const R extends Place | 'both' | undefined = undefined,
    const H extends 'override' | 'site' | undefined = undefined,
    const B extends 'least' | 'most' | undefined = undefined,
  >(
    kind: Kind<S>,
    about: About<R, H, B> & { readonly default: z.input<S> },
  ): Setting<z.input<S>, z.output<S>, R, H, B>;
  <
    S extends z.ZodType,
    const R extends Place | 'both' | undefined = undefined,
    const H extends 'override' | 'site' | undefined = undefined,
    const B extends 'least' | 'most' | undefined = undefined,
  >(
    kind: Kind<S>,
    about: About<R, H, B>,
  ): Setting<z.input<S>, z.output<S> | undefined, R, H, B>;
}

/** Returns a function that makes the settings of a group. */
export const settingsOf = (group: SettingGroup): MakeSetting =>
  ((
    kind: Kind<z.ZodType>,
    about: About<undefined, undefined, undefined> & { readonly default?: unknown },
  ) => ({
    default: undefined,
    ...kind,
    ...about,
    group,
    schema: lazy(() => schemaOf(kind, about.default)),
  })) as MakeSetting;

function schemaOf({ values }: Kind<z.ZodType>, preset: unknown): z.ZodType {
  const schema = values();
  if (preset === undefined) return schema.optional();
  return schema instanceof z.ZodObject
    ? schema.prefault(preset as Record<string, unknown>)
    : schema.default(preset);
}

type ShapeOf<S extends Settings> = {
  -readonly [Key in keyof S]: S[Key] extends Setting<infer In, infer Out>
    ? undefined extends Out
      ? z.ZodOptional<z.ZodType<Exclude<Out, undefined>, In>>
      : z.ZodDefault<z.ZodType<Out, In>>
    : never;
};

/** The schema of an object with these settings. */
export const shapeOf = <S extends Settings>(settings: S): ShapeOf<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, setting]) => [key, (setting.schema as () => z.ZodType)()]),
  ) as ShapeOf<S>;

type OptionalShapeOf<S extends Settings> = {
  -readonly [Key in keyof S]: S[Key] extends Setting<infer In> ? z.ZodOptional<z.ZodType<In, In>> : never;
};

/** Their schemas without defaults. */
export const optionalShape = <S extends Settings>(settings: S): OptionalShapeOf<S> =>
  Object.fromEntries(
    Object.entries(settings).map(([key, { values }]) => [key, (values as () => z.ZodType)().optional()]),
  ) as OptionalShapeOf<S>;

/** `--NAME`, and `--no-NAME` to turn it off. */
export const flag = { values: () => z.boolean(), type: 'flag', isNegatable: true } as const;

/** `--NAME` alone. */
export const flagOn = { values: () => z.boolean(), type: 'flag' } as const;

/** A whole number. */
export const count = (least = 0, most = Number.MAX_SAFE_INTEGER) =>
  ({
    values: () => (most === Number.MAX_SAFE_INTEGER ? z.int().min(least) : z.int().min(least).max(most)),
    type: 'count',
    argument: 'N',
  }) as const;

/** A number, which needs not be whole. */
export const amount = (least: number, most?: number) =>
  ({
    values: () => (most === undefined ? z.number().min(least) : z.number().min(least).max(most)),
    type: 'count',
    argument: 'N',
  }) as const;

/** Milliseconds. */
export const duration = (least = 0, most?: number) =>
  ({ ...amount(least, most), type: 'duration', argument: 'TIME' }) as const;

/** Milliseconds, whole and above zero: of an exchange or a visit. */
export const wholeDuration = (least = 1, most?: number) =>
  ({ ...count(least, most), type: 'duration', argument: 'TIME' }) as const;

export const bytes = (least = 1, most?: number) =>
  ({ ...count(least, most), type: 'bytes', argument: 'SIZE' }) as const;

export const choice = <const T extends readonly string[]>(...choices: T) =>
  ({ values: () => z.enum(choices), type: 'choice', argument: choices.join('|'), choices }) as const;

/** A value whose schema is given. */
export const text = <S extends z.ZodType>(values: () => S, argument: string): Kind<S> => ({
  values,
  type: 'text',
  argument,
});

/** A list, a map or an object: of another type on the command line, or with no option at all. */
export const other = <S extends z.ZodType>(
  values: () => S,
  type: ValueType = 'text',
  argument = '',
): Kind<S> => ({
  values,
  type,
  argument,
});

/** A string that `faultOf` checks: it returns the fault. `expected`: for the message. */
export const checked = (expected: string, faultOf: (text: string) => string | undefined) => () =>
  z.string().superRefine((given, context) => {
    const fault = faultOf(given);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: `${expected}: ${fault}` });
  });

export const domainName = () =>
  z.string().regex(DOMAIN, { error: 'a domain in lower case, such as example.org' });

/** A name of the IANA. */
export const zoneName = () =>
  z.string().max(100).refine(isTimeZone, { error: 'a time zone, such as Europe/Berlin' });
