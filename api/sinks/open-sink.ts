/** Destinations of documents by their addresses. */
import { setTimeout } from 'node:timers/promises';
import type { DocumentSink } from '../../shared/services/outputs/sink/sink.ts';
import { MIN_SECRET } from '../../shared/services/webhook/webhook.ts';

/** The address of a destination cannot be used, or its credentials are missing. */
class InvalidSink extends Error {
  override readonly name = 'InvalidSink';
}

export interface SinkSecrets {
  /** `USER:PASSWORD` for OpenSearch or Elasticsearch. */
  readonly user?: string | undefined;
  /** An API key of Elasticsearch, as it is sent. */
  readonly apiKey?: string | undefined;
  /** The key of a webhook's signature. */
  readonly webhookSecret?: string | undefined;
}

const EXPECTED =
  'Expected opensearch+https://HOST/INDEX, elasticsearch+https://HOST/INDEX, webhook+https://HOST/PATH (a program of yours, for any other store) or s3://BUCKET/PREFIX';

/** The parts of an address. Throws {@link InvalidSink}. */
export function parseSink(address: string): {
  readonly kind: 'search' | 'webhook' | 's3';
  readonly url: URL;
} {
  const [, kind, rest] = /^(opensearch|elasticsearch|webhook)\+(https?:\/\/.{1,2000})$/.exec(address) ?? [];
  const url = URL.parse(rest ?? address);
  if (url === null) throw new InvalidSink(EXPECTED);
  if (url.username !== '' || url.password !== '')
    throw new InvalidSink('Expected no password in the address: give it by an environment variable');
  if (kind === 'webhook') return { kind, url };
  if (kind === undefined) {
    if (url.protocol !== 's3:' || url.hostname === '') throw new InvalidSink(EXPECTED);
    return { kind: 's3', url };
  }
  if (!/^\/[^/]{1,255}\/?$/.test(url.pathname) || url.search !== '')
    throw new InvalidSink(`Expected the name of an index after the host, got ${url.pathname}`);
  return { kind: 'search', url };
}

/** Throws {@link InvalidSink}, and `SinkFailed` if the destination cannot be prepared. */
export async function openSink(
  address: string,
  crawl: string,
  { user, apiKey, webhookSecret }: SinkSecrets = {},
): Promise<DocumentSink> {
  const { kind, url } = parseSink(address);
  const sleep = async (ms: number) => void (await setTimeout(ms));
  if (kind === 's3') {
    const { s3Sink } = await withSdk(import('./s3-sink.ts'));
    const prefix = url.pathname.slice(1);
    return s3Sink({
      bucket: url.hostname,
      prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    });
  }
  if (kind === 'search') {
    const { openSearchSink } = await import('./opensearch-sink.ts');
    const basic = user && `Basic ${Buffer.from(user).toString('base64')}`;
    const authorization = apiKey ? `ApiKey ${apiKey}` : basic;
    return openSearchSink({ url: url.href.replace(/\/$/, ''), authorization, sleep });
  }
  if (webhookSecret === undefined || webhookSecret.length < MIN_SECRET)
    throw new InvalidSink(
      `Expected a secret of at least ${MIN_SECRET} characters for the webhook's signatures`,
    );
  const { webhookSink } = await import('./webhook-sink.ts');
  return webhookSink({ url: url.href, secret: webhookSecret, crawl, sleep, now: Date.now });
}

/** The package has the SDK as an optional peer. */
const withSdk = <Module>(module: Promise<Module>): Promise<Module> =>
  module.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new InvalidSink('A bucket needs the AWS SDK: npm install @aws-sdk/client-s3', { cause: error });
  });
