/** The browser of a crawl on this machine. */
import { messageOf } from '../../shared/core/base/error-message.ts';
import { type CrawlConfig, InvalidConfig } from '../../shared/core/crawl/config.ts';
import { quoted } from '../../shared/core/text/printable.ts';
import type {
  AnyBrowser,
  BrowserProgram,
  RemoteBrowser,
} from '../../shared/crawler/renderer/find-browser.ts';
import type { LocalStart } from './messages.ts';

type Asked = Pick<LocalStart, 'browser' | 'browserUrl' | 'workers'>;

/** Returns what finds the browser. Throws {@link InvalidConfig} for choices that exclude one another. */
export function browserOf({
  browser,
  browserUrl,
  workers,
}: Asked): (config: CrawlConfig) => Promise<AnyBrowser | undefined> {
  if (browserUrl === undefined) return () => ownBrowser(browser);
  if (browser !== undefined)
    throw new InvalidConfig('Expected one of browser and browserUrl (--browser, --browser-url), got both');
  if (workers > 1)
    throw new InvalidConfig(
      `Expected one worker with browserUrl (--browser-url), got ${workers}: each would refuse the requests of the others' pages`,
    );
  return ({ allowPrivateAddresses }) => remoteBrowser(browserUrl, allowPrivateAddresses);
}

async function ownBrowser(path = process.env.STRAND_BROWSER): Promise<BrowserProgram | undefined> {
  const { findBrowser } = await import('../../shared/crawler/renderer/find-browser.ts');
  const found = findBrowser({ path, env: process.env });
  if (found === undefined && path !== undefined)
    throw new InvalidConfig(`Expected the path of a browser, got ${quoted(path)}`);
  return found;
}

/** Its URL is in no message. */
async function remoteBrowser(
  given: string,
  allowPrivateAddresses: readonly string[],
): Promise<RemoteBrowser> {
  const { checkRemoteBrowser } = await import('../../shared/crawler/renderer/remote-browser.ts');
  try {
    const browser = { url: socketUrl(await readUrl(given)), allowPrivateAddresses };
    await checkRemoteBrowser(browser);
    return browser;
  } catch (error) {
    throw new InvalidConfig(`browserUrl (--browser-url): ${messageOf(error)}`);
  }
}

async function readUrl(given: string): Promise<string> {
  const { isReference } = await import('../../shared/services/project/secret-reference.ts');
  if (!isReference(given)) return given;
  const { createReferenceReader } = await import('../../shared/services/accounts/read-reference.ts');
  const { readParameter } = await import('../../shared/services/accounts/read-parameter.ts');
  const read = createReferenceReader({ environment: process.env, folder: process.cwd(), readParameter });
  return read(given);
}

function socketUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^wss?:$/.test(url.protocol) && url.hash === '') return url.href;
  throw new Error(
    'expected wss://..., ws://..., or a reference to it such as env:NAME, got something else (not shown: it may hold a secret)',
  );
}
