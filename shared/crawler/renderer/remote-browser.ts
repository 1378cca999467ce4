import { type Browser, type PrepareOptions, prepareBrowser, START_MS } from './browser.ts';
import { proveCut, proveIntercepted } from './check-cut.ts';
import type { RemoteBrowser } from './find-browser.ts';
import { openSocket } from './socket-transport.ts';

/**
 * The network of a page's context in a browser whose flags are not known: nothing listens there, and no host is exempt from it,
 * not even the browser's own machine.
 */
export const DEAD_PROXY: object = {
  proxyServer: 'socks5://127.0.0.1:9',
  proxyBypassList: '<-loopback>',
};

/** Connects to a browser that runs elsewhere. Rejects unless it is there, and no page of it reaches the network. */
export async function connectBrowser(remote: RemoteBrowser, options: PrepareOptions): Promise<Browser> {
  const contexts = typeof options.contexts === 'object' ? options.contexts : DEAD_PROXY;
  const running = await openSocket(remote, options.startMs);
  const browser = await prepareBrowser(running, {
    ...options,
    contexts,
    before: (send) => proveCut(send, contexts, options.startMs),
  });
  try {
    await proveIntercepted(browser);
    return browser;
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** Rejects unless pages can be rendered there. */
export async function checkRemoteBrowser(remote: RemoteBrowser, startMs = START_MS): Promise<void> {
  const browser = await connectBrowser(remote, { startMs });
  await browser.close();
}
