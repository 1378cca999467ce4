/** The library's calls for a stack. The AWS SDK is loaded when one is made. */
import type { CrawlEntry } from '../shared/services/control/control.ts';
import type { CrawlDeletion, DeleteOptions } from '../shared/services/control/deletion.ts';
import { crawlPages } from '../shared/services/control/list-crawls.ts';
import type { CopiedCrawl, CopyOptions, PushOptions } from './copy-options.ts';
import type { ProcessedPage, ProcessOptions } from './process-options.ts';
import type { StackConnection } from './stack/connect-stack.ts';
import { missingSdk } from './stack/missing-sdk.ts';
import type { StackAddress, StackCrawlAddress } from './stack-address.ts';
import type { StackCrawl, StackLimits } from './stack-crawl.ts';
import type { StartStackCrawlOptions } from './start-options.ts';
import type { OpenCrawlOptions } from './stored-crawl.ts';

/** Connects to the stack. Throws `StackRefused`, also if the AWS SDK is not installed, and `StackUnavailable`. */
export async function connect(at: StackAddress): Promise<StackConnection> {
  const { connectStack } = await import('./stack/connect-stack.ts').catch((error: unknown) => {
    throw missingSdk(error) ?? error;
  });
  return connectStack(at);
}

/** Calls `use` with a connection. If that fails, the connection is closed. */
async function connected<T>(at: StackAddress, use: (connection: StackConnection) => Promise<T>): Promise<T> {
  const connection = await connect(at);
  try {
    return await use(connection);
  } catch (error) {
    await connection.close().catch(() => {});
    throw error;
  }
}

export async function startOnStack(options: StartStackCrawlOptions): Promise<StackCrawl> {
  const { beginStackCrawl, readStackOptions } = await import('./stack/start-stack-crawl.ts');
  const { openStackCrawl } = await import('./stack/open-stack-crawl.ts');
  const start = readStackOptions(options);
  return connected(options, async (connection) => {
    const { crawl, refused } = await beginStackCrawl(connection, start);
    return openStackCrawl(connection, crawl, { refused });
  });
}

export async function resumeOnStack(at: StackCrawlAddress, limits: StackLimits): Promise<StackCrawl> {
  const crawl = await openOnStack(at);
  try {
    await crawl.resume(limits);
    return crawl;
  } catch (error) {
    await crawl.close();
    throw error;
  }
}

export async function openOnStack(at: StackCrawlAddress, options?: OpenCrawlOptions): Promise<StackCrawl> {
  checkAddress(at);
  const { openStackCrawl } = await import('./stack/open-stack-crawl.ts');
  return connected(at, (connection) => openStackCrawl(connection, at.crawl, options));
}

export const listOnStack = (at: StackAddress): Promise<readonly CrawlEntry[]> =>
  whileConnected(at, async ({ control }) => {
    const all: CrawlEntry[] = [];
    for await (const page of crawlPages(control)) all.push(...page);
    return all;
  });

export async function deleteOnStack(at: StackCrawlAddress, options?: DeleteOptions): Promise<CrawlDeletion> {
  checkAddress(at);
  return whileConnected(at, ({ control }) => control.delete(at.crawl, options));
}

export const pushTo = (
  folder: string,
  { crawl, ...at }: StackAddress & Partial<StackCrawlAddress>,
  options: PushOptions,
): Promise<CopiedCrawl> =>
  whileConnected(at, async (connection) => {
    const { pushCrawl } = await import('./stack/copy/push-crawl.ts');
    return pushCrawl(folder, connection, { ...options, ...(crawl !== undefined && { crawl }) });
  });

export async function pullFrom(
  at: StackCrawlAddress,
  folder: string,
  options: CopyOptions,
): Promise<CopiedCrawl> {
  checkAddress(at);
  return whileConnected(at, async (connection) => {
    const { pullCrawl } = await import('./stack/copy/pull-crawl.ts');
    return pullCrawl(connection, at.crawl, folder, options);
  });
}

/** Calls `use` with a connection, and closes it. */
async function whileConnected<T>(
  at: StackAddress,
  use: (connection: StackConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(at);
  try {
    return await use(connection);
  } catch (error) {
    throw connection.explained(error);
  } finally {
    await connection.close();
  }
}

export async function* processOnStackAt<T>(
  at: StackCrawlAddress,
  options: ProcessOptions,
): AsyncGenerator<ProcessedPage<T>, void, undefined> {
  checkAddress(at);
  const { processOnStack } = await import('./stack/process-on-stack.ts');
  const connection = await connect(at);
  try {
    yield* processOnStack<T>(connection, at.crawl, options);
  } catch (error) {
    throw connection.explained(error);
  } finally {
    await connection.close();
  }
}

function checkAddress({ stack, crawl }: Partial<StackCrawlAddress>): void {
  if (typeof stack !== 'string' || typeof crawl !== 'string')
    throw new TypeError(
      "Expected the folder of a crawl, or { stack: 'NAME', crawl: 'NAME' } for a crawl on a stack",
    );
}
