/** The kinds of options of a stack: the checks of their values, from a construct's props, `cdk.json` or the command line. */
import type { Duration } from 'aws-cdk-lib';
import { z } from 'zod';
import { DOMAIN } from '../shared/core/crawl/domains.ts';
import { parseCidr } from '../shared/crawler/fetcher/ip-address.ts';
import type { StackOption } from './stack-option.ts';

export interface Kind<In, Out = In> {
  readonly values: z.ZodType<Out>;
  readonly takes?: In;
}

type About = Omit<StackOption, 'schema' | 'default' | 'takes' | 'gives'>;

export function option<In, Out>(
  kind: Kind<In, Out>,
  about: About & { readonly default: NoInfer<Out> },
): StackOption<In, Out>;
export function option<In, Out>(kind: Kind<In, Out>, about: About): StackOption<In, Out | undefined>;
export function option<In, Out>(
  { values }: Kind<In, Out>,
  about: About & { readonly default?: Out },
): StackOption<In, unknown> {
  const { default: preset } = about;
  return { ...about, schema: preset === undefined ? values.optional() : values.default(preset as never) };
}

/** A value from the command line: `300`, `true`, `{"a":"b"}`; otherwise the text itself. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const isDuration = (value: unknown): value is Duration =>
  typeof value === 'object' && value !== null && 'toMilliseconds' in value;

/** A `Duration` of the CDK as seconds; other values stay as they are. */
export const inSeconds = (value: unknown): unknown =>
  isDuration(value) ? value.toMilliseconds() / 1000 : value;

/** The message of each check names the expected value: the error for people is made of it. */
export const number = (unit: string, min: number, max: number): Kind<number> => {
  const error = `a number of ${unit} from ${min} to ${max}`;
  return { values: z.preprocess(fromText, z.number({ error }).min(min, { error }).max(max, { error })) };
};

export const whole = (unit: string, min: number, max: number): Kind<number> => {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return { values: z.preprocess(fromText, z.int({ error }).min(min, { error }).max(max, { error })) };
};

/** Takes a `Duration` of the CDK too. */
const timed = ({ values }: Kind<number>): Kind<Duration | number, number> => ({
  values: z.preprocess(inSeconds, values),
});

export const seconds = (min: number, max: number) => timed(number('seconds', min, max));
export const wholeSeconds = (min: number, max: number) => timed(whole('seconds', min, max));

export const oneOf = <const T extends string>(...values: T[]): Kind<T> => ({
  values: z.enum(values, { error: `one of ${values.join(', ')}` }) as unknown as z.ZodType<T>,
});

export const checkedBy = <T>(schema: z.ZodType<T>): Kind<T> => ({ values: z.preprocess(fromText, schema) });

export const asIs = <T>(values: z.ZodType<T>): Kind<T> => ({ values });

const pattern = (regexp: RegExp, error: string) => z.string({ error }).regex(regexp, { error });

export const matching = (regexp: RegExp, error: string): Kind<string> => ({ values: pattern(regexp, error) });

export const flag: Kind<boolean> = checkedBy(z.boolean({ error: 'true or false' }));

/** A list, in one text with commas between them on the command line. */
const listed = <T>(read: (part: string) => unknown, values: z.ZodType<T[]>): Kind<readonly T[], T[]> => ({
  values: z.preprocess(
    (value) =>
      typeof value === 'string' || typeof value === 'number'
        ? String(value).split(',').filter(Boolean).map(read)
        : value,
    values,
  ),
});

const same = (part: string): unknown => part;

const CIDRS = 'CIDR blocks, such as 10.0.0.0/8, separated by commas';
export const cidrs = listed(
  same,
  z.array(
    z.string({ error: CIDRS }).refine((text) => parseCidr(text) !== undefined, { error: CIDRS }),
    { error: CIDRS },
  ),
);

const DOMAINS = 'domains in lower case, such as example.org, separated by commas';
export const domains = listed(
  same,
  z.array(pattern(DOMAIN, DOMAINS), { error: DOMAINS }).max(100, { error: '100 domains at most' }),
);

const PORTS = 'ports from 1 to 65535, separated by commas';
export const ports = listed(
  Number,
  z.array(z.int({ error: PORTS }).min(1, { error: PORTS }).max(65_535, { error: PORTS }), { error: PORTS }),
);

/** A JSON object of texts. `error`: the message. */
export const texts = (key: RegExp, error: string, most = 4096): Kind<Readonly<Record<string, string>>> =>
  checkedBy(z.record(pattern(key, error), z.string({ error }).max(most), { error }));

/** The parameter of the Systems Manager that an option names. `rest`: what its name may not begin with. */
export const parameter = (example: string, rest = ''): Kind<string> =>
  matching(
    new RegExp(`^${rest}(?:/[A-Za-z0-9_.-]+){1,15}$`),
    `a path such as ${example}: letters, digits, ., - and _ after each /`,
  );
