/** Settings that are given as files, or that are secret. */
import { type Given, textOf } from './given.ts';

export interface NetworkFiles {
  /** As given: `@FILE`, or the text itself. */
  readonly headers: readonly string[];
  readonly auth: readonly string[];
  /** Names of files. */
  readonly cookies?: string | undefined;
  readonly ca?: string | undefined;
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly identity?: string | undefined;
  readonly domainBudgets?: string | undefined;
}

/** Undefined: none is given. */
export function networkOf(given: Given): NetworkFiles | undefined {
  const listOf = (name: string) => (given.values.get(name) as readonly string[] | undefined) ?? [];
  const files = {
    headers: listOf('header'),
    auth: listOf('basic-auth'),
    cookies: textOf(given, 'cookies'),
    ca: textOf(given, 'ca'),
    clientCert: textOf(given, 'client-cert'),
    clientKey: textOf(given, 'client-key'),
    identity: textOf(given, 'identity'),
    domainBudgets: textOf(given, 'domain-budgets'),
  };
  return Object.values(files).some((file) => file !== undefined && file.length > 0) ? files : undefined;
}
