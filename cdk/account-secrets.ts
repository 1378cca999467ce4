import type { AccountOptions } from '../shared/services/project/account-options.ts';
import { parameterOf } from '../shared/services/project/secret-reference.ts';
import { InvalidOptions } from './invalid-options.ts';

/** The references that the worker of a stack reads for the accounts. Throws {@link InvalidOptions} for those that a stack does not have. */
export function stackSecretsOf(accounts: readonly AccountOptions[] = []): string[] {
  const references = accounts.flatMap(({ name, secret, cookies }) =>
    Object.entries({ secret, cookies }).flatMap(([key, reference]) =>
      reference === undefined ? [] : [{ at: `accounts ${name}: ${key}`, reference }],
    ),
  );
  const missing = references.filter(({ reference }) => parameterOf(reference) === undefined);
  if (missing.length === 0) return [...new Set(references.map(({ reference }) => reference))];
  throw new InvalidOptions(
    `${missing.map(({ at }) => at).join(', ')}: a stack reads secrets from aws:ssm/NAME and aws:secrets/NAME alone: ` +
      'it has no files of yours, and its environment is in the template',
  );
}
