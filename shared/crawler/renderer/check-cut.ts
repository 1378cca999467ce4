/** Tries whether the pages of a browser that Strand has not started reach the network. */
import type { CrawlId } from '../../core/crawl/crawl-id.ts';
import { memoryBody } from '../../core/outcome/memory-body.ts';
import type { RenderJob } from '../ports/renderer.ts';
import type { Browser } from './browser.ts';
import { type Connection, RefusedCommand } from './connection.ts';
import type { AnswerPart } from './page-requests.ts';

const REMEDY =
  'give Strand a browser of its own that speaks the whole protocol, such as chromium-headless-shell';

/** A name that nobody has, and the browser's own machine, which is often exempt from proxies. */
const UNREACHABLE = ['http://strand-self-test.invalid/', 'http://127.0.0.1:65534/'];
/** The error of a dead proxy. A name that is not found, or a refused connection, would show that the browser has a network. */
const BY_DEAD_PROXY = 'net::ERR_PROXY_CONNECTION_FAILED';

/** Rejects if a page in a context with these parameters reaches anything. To be called before requests are intercepted. */
export async function proveCut(send: Connection['send'], contexts: object, ms: number): Promise<void> {
  try {
    const parameters = { disposeOnDetach: true, ...contexts };
    const { browserContextId } = await send('Target.createBrowserContext', parameters);
    const { targetId } = await send('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId: session } = await send('Target.attachToTarget', { targetId, flatten: true });
    for (const url of UNREACHABLE) {
      const { errorText = 'no error' } = await send('Page.navigate', { url }, { session, ms });
      if (errorText !== BY_DEAD_PROXY) throw new NetworkNotCut(`a request met ${errorText}`);
    }
    await send('Target.disposeBrowserContext', { browserContextId });
  } catch (error) {
    if (!(error instanceof RefusedCommand)) throw error;
    throw new NetworkNotCut(`it refuses ${error.message}`);
  }
}

const SITE = 'http://strand-self-test.invalid';
/** Each of its requests has an answer that only Strand gives. */
const PAGE = `<!doctype html><title>Self-test</title><p id=p></p><script>
const texts = (...urls) => Promise.all(urls.map(async (url) => (await fetch(url)).text()));
const worker = new Worker('/worker.js');
const fromWorker = new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
open('/popup');
Promise.all([texts('/fetched', '/moved'), fromWorker]).then((all) => { p.textContent = all.flat().join(' '); });
</script>`;
const MOVED = '/arrived';
const ANSWERS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/fetched': ['text/plain', 'fetched'],
  [MOVED]: ['text/plain', 'arrived'],
  '/from-worker': ['text/plain', 'from-worker'],
  '/worker.js': [
    'text/javascript',
    "fetch('/from-worker').then((answer) => answer.text()).then((text) => postMessage(text));",
  ],
};
const SHOWN = 'fetched arrived from-worker';

/** Rejects unless the requests of a page, of its redirects, popups and workers come to Strand. */
export async function proveIntercepted(browser: Browser): Promise<void> {
  const asked = new Set<string>();
  const fetchPart: AnswerPart = async ({ url }) => {
    const path = url.slice(SITE.length);
    asked.add(path);
    if (path === '/moved') return response(302, [['Location', MOVED]], '');
    const [type, body] = ANSWERS[path] ?? [];
    if (type === undefined) return { status: 'refused', reason: 'the self-test does not ask for it' };
    return response(200, [['Content-Type', type]], body);
  };
  const startedAt = performance.now();
  const deadline = startedAt + JOB.limits.ms;
  const { html = '', state, detail } = await browser.render({ job: JOB, fetchPart, startedAt, deadline });
  if (html.includes(`>${SHOWN}</p>`)) return;
  const missing = ['/moved', ...Object.keys(ANSWERS)].filter((path) => !asked.has(path));
  const why = missing.length > 0 ? `${missing.join(', ')} did not come` : `${detail ?? state}`;
  throw new NetworkNotCut(`its requests do not all come to Strand: ${why}`);
}

const response = (httpStatus: number, headers: readonly (readonly [string, string])[], body = '') => ({
  status: 'response' as const,
  httpStatus,
  headers,
  body: memoryBody(Buffer.from(body)),
});

const JOB: RenderJob = {
  crawl: 'self-test' as CrawlId,
  url: `${SITE}/`,
  document: { httpStatus: 200, headers: [['Content-Type', 'text/html']], body: Buffer.from(PAGE) },
  userAgent: 'Strand',
  cookies: [],
  limits: { ms: 20_000, requests: 20, bytes: 100_000, links: 100, htmlBytes: 100_000 },
  behaviours: { scroll: false, more: false },
};

/** The browser cannot be used: its pages might reach the network without Strand. */
class NetworkNotCut extends Error {
  constructor(why: string) {
    super(`the network of this browser cannot be cut (${why}): ${REMEDY}`);
  }
}
