/** The secrets of a stack in the Secrets Manager, as a worker reads them. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createWorkerSecrets } from '../../functions/worker-secrets.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { hasEmulator } from './resources.ts';
import { callSecretsManager } from './secrets-manager.ts';

describe.runIf(hasEmulator())('on an emulator', () => {
  const made: string[] = [];
  afterEach(async () => {
    for (const SecretId of made.splice(0))
      await callSecretsManager('DeleteSecret', { SecretId, ForceDeleteWithoutRecovery: true });
  });

  test('a worker reads a secret of the Secrets Manager by its reference, and its next version after an hour', async () => {
    const Name = `strand/${randomUUID()}`;
    const state = { now: Date.now(), announced: [] as string[] };
    const { load, settingsOf } = createWorkerSecrets({
      parameter: `/aws/reference/secretsmanager/${Name}`,
      clock: { now: () => state.now },
      log: () => {},
      announce: async (trouble) => state.announced.push(trouble) > 0,
    });
    const config = parseConfig({ contact: 'me@example.org' });
    await load();
    expect(state.announced).toEqual(['Secrets']);
    expect(() => settingsOf(config)).toThrow('no request is made');

    await callSecretsManager('CreateSecret', {
      Name,
      SecretString: JSON.stringify({ auth: { 'a.test': 'user:first' } }),
      ClientRequestToken: randomUUID(),
    });
    made.push(Name);
    state.now += 60_000;
    await load();
    expect(settingsOf(config).auth).toEqual({ 'a.test': 'user:first' });

    await callSecretsManager('PutSecretValue', {
      SecretId: Name,
      SecretString: JSON.stringify({ auth: { 'a.test': 'user:second' } }),
      ClientRequestToken: randomUUID(),
    });
    state.now += 3_600_000;
    await load();
    expect(settingsOf(config).auth).toEqual({ 'a.test': 'user:second' });
    expect(state.announced).toEqual(['Secrets']);
  });
});
