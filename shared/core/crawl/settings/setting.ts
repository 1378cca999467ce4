/**
 * The record of a setting: all that is known about it. Types, schemas, options of the command line, limits of a stack
 * and tables of the documentation follow from it.
 */

/**
 * How a value is written on the command line. `count`: a whole number; `countOrOff`: or `off`; `domainBudget`: or `links`, `links:N`.
 * `dollars`: an amount above zero. `bytes`, `duration`: a number with a unit. `date`: a day, or a time, as in ISO 8601. `rules`: names
 * of the choices that are on, all others off. `list`: texts with commas between them. `patterns`, `pins`, `folders`, `urls`,
 * `proxies`: repeatable. `addresses`: CIDR blocks, repeatable, the value optional and only by `=`. `secrets`: text, repeatable, in
 * no message.
 */
export type ValueType =
  | 'flag'
  | 'text'
  | 'choice'
  | 'count'
  | 'countOrOff'
  | 'domainBudget'
  | 'dollars'
  | 'bytes'
  | 'duration'
  | 'date'
  | 'rules'
  | 'list'
  | 'patterns'
  | 'pins'
  | 'folders'
  | 'urls'
  | 'secrets'
  | 'proxies'
  | 'ports'
  | 'addresses';

export type SettingGroup =
  | 'Scope'
  | 'Sitemaps and feeds'
  | 'Pages'
  | 'Recrawl'
  | 'Crawl'
  | 'Limits'
  | 'Politeness'
  | 'Identity'
  | 'Network'
  | 'Archive';

/** Where a crawl runs. */
export type Place = 'machine' | 'stack';

/** The part of a record that is written by hand. `R`, `H` and `B`: as in {@link Setting}. */
export interface About<R, H, B> {
  /** A sentence without its full stop, which also stands in the help of the command line. */
  readonly doc: string;
  /** Further sentences. */
  readonly more?: string;
  /** Follows the word "Costs". */
  readonly costs?: string;
  /** The part of the documentation about it: `local.md#traps`. */
  readonly page?: string;
  /** The name of its option, without the dashes. Settings that a file of its own holds have none. */
  readonly option?: string;
  /** The name of the option's value, if it is not that of the kind. */
  readonly argument?: string;
  /** Follows the sentence in the help: values as they are written there. */
  readonly inHelp?: string;
  /** The only place where it has a meaning, and why. */
  readonly only?: { readonly place: Place; readonly reason: string };
  /** The default on a stack, if it is another one there. */
  readonly stackDefault?: number;
  /** Where a crawl that continues may change it. Otherwise it stays as the crawl began. */
  readonly resume?: R;
  /** Whether an override may have it for some hosts; `site`: and a line of a list of sites for its host. */
  readonly perHost?: H;
  /** Whether it is bounded by a limit of the deployer, which no crawl can exceed. */
  readonly bound?: B;
  /** The most on a stack, whose workers many crawls share: of a number, or of a text's or list's length. */
  readonly stackMost?: number;
  /** Its use of the operator's machine, network, keys or name. Undefined: any crawl of public pages may do it. */
  readonly opens?: string;
  /** Its value is never printed. */
  readonly isSecret?: true;
}

/**
 * A setting that takes values of the type `In`. `Out` is the type of its value in a complete configuration; with undefined if
 * it has no default. The other types are those of {@link About}: `resume`, `perHost` and `bound`.
 */
export interface Setting<
  In = unknown,
  Out = unknown,
  R extends Place | 'both' | undefined = Place | 'both' | undefined,
  H extends 'override' | 'site' | undefined = 'override' | 'site' | undefined,
  B extends 'least' | 'most' | undefined = 'least' | 'most' | undefined,
> extends About<R, H, B> {
  readonly group: SettingGroup;
  readonly type: ValueType;
  /** Undefined for a flag. */
  readonly argument?: string;
  readonly choices?: readonly string[];
  /** A flag that `--no-NAME` turns off. */
  readonly isNegatable?: boolean;
  readonly default: unknown;
  /** Makes the schema of its values, without the default. */
  readonly values: unknown;
  /** Returns it with the default, and makes it only once: a start checks its configuration five times. */
  readonly schema: unknown;
  /** For the type checker alone. */
  readonly takes?: In;
  readonly gives?: Out;
}

export type Settings = Readonly<Record<string, Setting>>;

/** The options of a user: all may be left out. */
export type OptionsOf<S extends Settings> = {
  -readonly [Key in keyof S]?: S[Key] extends Setting<infer In> ? In : never;
};

type Values<S extends Settings> = {
  [Key in keyof S]: S[Key] extends Setting<unknown, infer Out> ? Out : never;
};

/** The settings that have no default, and may be missing in a complete configuration. */
type WithoutDefault<S extends Settings> = {
  [Key in keyof S]: undefined extends Values<S>[Key] ? Key : never;
}[keyof S];

/** The complete configuration: every default filled in. */
export type ConfigOf<S extends Settings> = Readonly<
  Pick<Values<S>, Exclude<keyof S, WithoutDefault<S>>> & Partial<Pick<Values<S>, WithoutDefault<S>>>
>;

type TraitsOf<S> = S extends Setting<unknown, unknown, infer R, infer H, infer B> ? R | H | B : never;

/** The names of the settings that have one of these as `resume`, `perHost` or `bound`. */
export type SettingsFor<S extends Settings, T> = {
  [Key in keyof S]: Extract<TraitsOf<S[Key]>, T> extends never ? never : Key;
}[keyof S];
