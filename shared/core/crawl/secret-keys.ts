/** Settings whose values are secrets: they are never printed. */
import { SETTINGS } from './settings/settings.ts';

export const SECRET_KEYS: readonly string[] = Object.entries(SETTINGS).flatMap(([key, { isSecret }]) =>
  isSecret ? [key] : [],
);

/** Whether a part of a configuration, or of something that holds one, is secret. The identity's agent is public. */
export const isSecretPath = (path: readonly PropertyKey[]): boolean =>
  path.some((part, i) => SECRET_KEYS.includes(String(part)) && path[i + 1] !== 'agent');

/** Whether any of the settings is secret. */
export const hasSecrets = (config: object): boolean =>
  Object.entries(config).some(([key, value]) => isSecretPath([key]) && Object.keys(value ?? {}).length > 0);

/** The settings without those that are secret. */
export const withoutSecretKeys = <T extends object>(config: T): T =>
  Object.fromEntries(Object.entries(config).filter(([key]) => !isSecretPath([key]))) as T;
