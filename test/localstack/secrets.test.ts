/** The secrets of a stack in the Secrets Manager, as a worker reads them. */
import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createWorkerSecrets } from '../../functions/worker-secrets.ts';
import { parseConfig } from '../../shared/core/crawl/config.ts';
import { hasEmulator } from './resources.ts';

/** The service has no client among the dependencies. */
async function call(operation: string, input: object): Promise<void> {
  const { AWS_ENDPOINT_URL: url = '', AWS_REGION: region = 'us-east-1' } = process.env;
  const scope = `${process.env.AWS_ACCESS_KEY_ID}/20261101/${region}/secretsmanager/aws4_request`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.1',
      'X-Amz-Target': `secretsmanager.${operation}`,
      // The emulator reads account and region, and checks no signature.
      Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
}

describe.runIf(hasEmulator())('on an emulator', () => {
  const made: string[] = [];
  afterEach(async () => {
    for (const SecretId of made.splice(0))
      await call('DeleteSecret', { SecretId, ForceDeleteWithoutRecovery: true });
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

    await call('CreateSecret', {
      Name,
      SecretString: JSON.stringify({ auth: { 'a.test': 'user:first' } }),
      ClientRequestToken: randomUUID(),
    });
    made.push(Name);
    state.now += 60_000;
    await load();
    expect(settingsOf(config).auth).toEqual({ 'a.test': 'user:first' });

    await call('PutSecretValue', {
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
