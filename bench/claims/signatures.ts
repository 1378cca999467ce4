/**
 * The CPU and the bytes that a signature adds to a request (`crawl --identity`).
 *
 *     npm run bench -- signatures
 */
import { generateKeyPairSync } from 'node:crypto';
import { readIdentity } from '../../shared/core/identity/identity.ts';
import type { SignatureFields } from '../../shared/core/identity/sign-request.ts';
import { createRequestSigner } from '../../shared/crawler/fetcher/request-signer.ts';
import { cpuMsOf } from '../harness/cpu-time.ts';
import { type Measured, median } from '../harness/record.ts';

const ROUNDS = 9;
const REQUESTS = 5000;

export async function measure(): Promise<Measured> {
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const identity = readIdentity(
    { agent: 'https://crawler.example.org', keys: [key] },
    { where: 'the bench' },
  );
  const sign = createRequestSigner({ identityOf: () => identity, now: Date.now, onExpired: () => {} });
  let bytes = 0;
  const signAll = () => {
    for (let i = 0; i < REQUESTS; i++) {
      const fields = sign({
        url: `https://www.example.org/path/to/page-${i}.html?a=b`,
        method: 'GET',
      }) as SignatureFields;
      bytes = Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    }
  };
  const times: number[] = [];
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = await cpuMsOf(signAll);
    if (round > 0) times.push(ms);
  }
  return {
    figures: {
      cpuUsPerSignature: { value: (median(times) * 1000) / REQUESTS, unit: 'us of CPU a signature' },
      bytesPerRequest: { value: bytes, unit: 'bytes a request' },
    },
    detail: `${REQUESTS} requests, ${ROUNDS} rounds`,
  };
}
