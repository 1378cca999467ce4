import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fitToAccount, fittedOptions, readConcurrencyLimit, workersIn } from '../../cdk/account-limit.ts';
import { parseOptions } from '../../cdk/options.ts';
import { synthesized } from './synthesized.ts';

describe('the workers of an account', () => {
  test.each([
    [1000, {}, 50, 'This account runs 1000 functions at once: 50 workers fit'],
    [65, {}, 50, 'This account runs 65 functions at once: 50 workers fit'],
    [64, {}, 49, 'maxConcurrency is 49 instead of 50, so that the other functions can run. AWS raises'],
    [10, {}, 3, 'This account runs 10 functions at once: maxConcurrency is 3 instead of 50'],
    [10, { maxConcurrency: 3 }, 3, '3 workers fit'],
    [10, { linkShards: 2 }, 2, 'and the stack needs 13: crawls may stand still while all are in use'],
    [5, {}, 2, 'and the stack needs 9'],
    [10, { turnQueues: 3 }, 6, 'and the stack needs 14'],
    [5000, { maxConcurrency: 1000 }, 1000, '1000 workers fit'],
  ])('that runs %i functions at once, with %j, are %i', (limit, given, workers, text) => {
    const { options, line } = fitToAccount(parseOptions(given), limit);
    expect(options).toEqual({ ...parseOptions(given), maxConcurrency: workers });
    expect(line).toContain(text);
  });

  test('leave room for all other functions of the template', () => {
    for (const limit of [10, 20, 40, 100]) {
      const maxConcurrency = workersIn(limit, { turnQueues: 1, linkShards: 0 });
      const sources = Object.values(
        synthesized({ maxConcurrency }).resources('AWS::Lambda::EventSourceMapping'),
      );
      const most = sources.map(({ Properties }) => Properties.ScalingConfig.MaximumConcurrency as number);
      // And the waker, the compactor, an export, and two calls of the API.
      expect(most.reduce((a, b) => a + b, 0) + 5).toBeLessThanOrEqual(limit);
    }
  });
});

describe('the limit of the account', () => {
  afterEach(() => vi.unstubAllEnvs());

  async function asked(status: number, body: string) {
    const requests: { url?: string | undefined; authorization?: string | undefined }[] = [];
    const server = createServer(({ url, headers: { authorization } }, response) => {
      requests.push({ url, authorization });
      response.writeHead(status).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${port}`);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    try {
      return {
        requests,
        result: await fittedOptions(parseOptions({}), () => readConcurrencyLimit('eu-west-3')),
      };
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  test('is asked for by a signed request', async () => {
    const { requests, result } = await asked(200, '{"AccountLimit":{"ConcurrentExecutions":10}}');
    expect(requests).toMatchObject([
      {
        url: '/2016-08-19/account-settings/',
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-3\/lambda\/aws4_request, /,
        ),
      },
    ]);
    expect(result.options.maxConcurrency).toBe(3);
  });

  test.each([
    [403, '{"Message":"not authorized"}', '403 {"Message":"not authorized"}'],
    [200, '{}', 'Expected AccountLimit.ConcurrentExecutions, got {}'],
    [200, '<html>', 'is not valid JSON'],
  ])('that cannot be read (%i %s) changes nothing, and is said', async (status, body, text) => {
    const { options, line } = (await asked(status, body)).result;
    expect(options).toEqual(parseOptions({}));
    expect(line).toContain('could not be read, and maxConcurrency stays 50: ');
    expect(line).toContain(text);
  });
});
