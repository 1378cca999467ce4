/** The parameter of an identity, as an operator's command line writes it and a worker reads it. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteParameterCommand, DescribeParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterEach, describe, expect, test } from 'vitest';
import { putIdentity } from '../../api/stack/put-identity.ts';
import { uploadIdentity } from '../../cli/identity/upload-identity.ts';
import { createWorkerIdentity } from '../../functions/worker-identity.ts';
import { verifyByRfc9421 } from '../core/identity/verifiers.ts';
import { hasEmulator } from './resources.ts';

const AGENT = 'https://crawler.example.org';
const newJwk = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never as {
    kty: 'OKP';
    crv: 'Ed25519';
    x: string;
    d: string;
  };

describe.runIf(hasEmulator())('on an emulator', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  function setUp() {
    const ssm = new SSMClient({});
    const folder = mkdtempSync(join(tmpdir(), 'strand-identity-'));
    const Name = `/strand/${randomUUID()}/identity`;
    closing.push(
      () => rmSync(folder, { recursive: true, force: true }),
      () => ssm.destroy(),
      () => ssm.send(new DeleteParameterCommand({ Name })).catch(() => {}),
    );
    const stack = {
      stack: 'Test',
      identityParameter: Name,
      linkQueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/q',
    };
    const file = join(folder, 'identity.json');
    const write = (...keys: object[]) =>
      writeFileSync(file, JSON.stringify({ agent: AGENT, keys }), { mode: 0o600 });
    const upload = () => uploadIdentity({ putIdentity: (document) => putIdentity(stack, document) }, file);
    const announced: string[] = [];
    const state = { now: Date.now() };
    const worker = createWorkerIdentity({
      parameter: Name,
      clock: { now: () => state.now },
      log: () => {},
      announce: async (trouble) => announced.push(trouble) > 0,
    });
    return { ssm, Name, stack, write, upload, worker, announced, state };
  }

  test('an uploaded identity is encrypted, signs the requests of a worker, and is replaced by the next one', async () => {
    const { ssm, Name, write, upload, worker, announced, state } = setUp();
    const [old, next] = [newJwk(), newJwk()];
    await worker.load();
    expect(announced).toEqual(['Identity']);
    write(old);
    expect(await upload()).toMatchObject({ parameter: Name, agent: AGENT });
    const filter = { ParameterFilters: [{ Key: 'Name', Values: [Name] }] };
    const { Parameters = [] } = await ssm.send(new DescribeParametersCommand(filter));
    expect(Parameters.map(({ Type }) => Type)).toEqual(['SecureString']);

    const request = { url: 'https://example.com/a', method: 'GET' };
    for (const key of [old, next]) {
      write(key);
      await upload();
      state.now += 3_600_000;
      await worker.load();
      const fields = worker.sign!(request)!;
      await verifyByRfc9421({ ...request, fields }, key, { now: state.now / 1000 });
    }
    expect(announced).toEqual(['Identity']);
  });

  test('a stack without a parameter, and an identity that is too large, are refused', async () => {
    const { stack } = setUp();
    const { identityParameter: _, ...without } = stack;
    await expect(putIdentity(without, {})).rejects.toThrow('deploy it with the option identityParameter');
    await expect(putIdentity(stack, { keys: 'x'.repeat(5000) })).rejects.toThrow('a parameter holds 4096');
  });
});
