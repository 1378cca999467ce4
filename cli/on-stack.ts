/** Commands on a deployed stack: `strand --stack NAME VERB ...`. */
import { connect } from '../api/load-stack.ts';
import type { StackAddress } from '../api/stack-address.ts';
import { printable } from '../shared/core/text/printable.ts';
import { ControlError } from '../shared/services/control/control.ts';
import { stackProgram } from './command-at.ts';
import { ownOutput } from './here.ts';
import type { OptionSpec } from './option-spec.ts';
import { type AskedCrawl, Place, type PlaceOutput, type StackSession } from './place.ts';
import { UsageError } from './usage-error.ts';

interface StackWork<T> {
  readonly address: StackAddress;
  readonly json: boolean;
  /** The options of the command, which an error of the stack may name. */
  readonly options: readonly OptionSpec[];
  readonly work: (place: Place) => Promise<T> | T;
}

/** Connects to the stack, and calls `work` with it. */
export async function onStack<T>(asked: StackWork<T>): Promise<T> {
  const connection = await connect(asked.address);
  try {
    const session: StackSession = {
      ...connection,
      openCrawl: async (crawl, options) =>
        (await import('../api/stack/open-stack-crawl.ts')).openStackCrawl(connection, crawl, options),
      push: async (dir, options) =>
        (await import('../api/stack/copy/push-crawl.ts')).pushCrawl(dir, connection, options),
      pull: async (crawl, dir, options) =>
        (await import('../api/stack/copy/pull-crawl.ts')).pullCrawl(connection, crawl, dir, options),
    };
    return await answer(session, asked, ownOutput(connection.clock));
  } catch (error) {
    throw connection.explained(error);
  } finally {
    await connection.close();
  }
}

/** Calls `work` with the place where crawls have names. Throws `UsageError` for what the stack refuses. */
export async function answer<T>(
  session: StackSession,
  { address, json, options, work }: StackWork<T>,
  output: PlaceOutput,
): Promise<T> {
  const place = new Place({
    output,
    json,
    stack: { ...session, ...address },
    open: session.openCrawl,
    ask: async (crawl) => asked(session, address, crawl),
  });
  try {
    return await work(place);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new UsageError(printable(error.message + hintOf(error, address, options)), { cause: error });
  }
}

/** Each by one request: the crawl is not opened. */
const asked = ({ control }: StackSession, { stack }: StackAddress, crawl: string): AskedCrawl => ({
  summary: () => control.status(crawl),
  hosts: (page = {}) => control.hosts(crawl, page),
  host: (host) => control.host(crawl, host),
  domains: (page = {}) => control.domains(crawl, page),
  sites: (page = {}) => control.sites(crawl, page),
  async url(url) {
    const known = await control.url(crawl, url);
    // Loads SQLite, which other commands do not need.
    const { detailWithClusters } = await import('../api/exports/known-clusters.ts');
    const { cacheFiles } = await import('../api/stack/cache-folder.ts');
    return detailWithClusters(cacheFiles(stack, crawl).sketches, known);
  },
  pause: () => control.pause(crawl),
  stop: () => control.stop(crawl),
});

/** Returns the option that sets the faulty field, `(--max-pages N)`, or where to look. */
function hintOf(
  { code, field = '' }: ControlError,
  address: StackAddress,
  options: readonly OptionSpec[],
): string {
  if (code === 'notFound' && field === 'crawl') return `; all there are: ${stackProgram(address)} list`;
  const key = field.replace(/^config\./, '');
  const option = options.find(
    (one) =>
      one.only !== 'here' &&
      (one.key === key || camelCase(one.name) === key || (one.name === 'name' && key === 'crawl')),
  );
  return option ? ` (--${option.name}${option.argument ? ` ${option.argument}` : ''})` : '';
}

/** `new-url-rules`: `newUrlRules`. */
const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
