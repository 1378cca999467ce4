/** The secrets of a stack in its workers: headers, cookies, passwords and proxies that all crawls use. */
import type { CrawlConfig } from '../shared/crawl/config.ts';
import { messageOf } from '../shared/error-message.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Attention } from './attention.ts';
import type { Log } from './log.ts';
import { secretJson } from './secret-json.ts';
import { readSecretParameter } from './secret-parameter.ts';
import { readStackSecrets, type StackSecrets, withStackSecrets } from './stack-secrets.ts';

export interface WorkerSecretsOptions {
  /** The parameter's name. None: the stack has no secrets. */
  readonly parameter: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly announce: Attention['announce'];
  /** Returns the parameter's value. Default: from the Systems Manager. */
  readonly read?: (parameter: string) => Promise<string>;
}

export interface WorkerSecrets {
  /**
   * Reads the secrets at the first call, and again when that was an hour ago. Never throws: if they cannot be used, the operator's
   * attention is called, and the next call in a minute tries again. Secrets that were read before stay in use.
   */
  load(): Promise<void>;
  /**
   * Returns the settings by which a crawl's requests are made: the same object each time, until there are other secrets. Throws
   * if the secrets were never read: pages that a site refuses for want of a password would be stored as its pages.
   */
  settingsOf(config: CrawlConfig): CrawlConfig;
}

const KEPT_MS = 3_600_000;
const TRY_AGAIN_MS = 60_000;

export function createWorkerSecrets(options: WorkerSecretsOptions): WorkerSecrets {
  const { parameter, clock, log, announce, read = readSecretParameter } = options;
  if (parameter === undefined) return { load: async () => {}, settingsOf: (config) => config };
  let current: { readonly text: string; readonly secrets: StackSecrets } | undefined;
  let settings = new WeakMap<CrawlConfig, CrawlConfig>();
  let lookAt = Number.NEGATIVE_INFINITY;

  async function report(cause: unknown): Promise<void> {
    const fields = { parameter, cause: messageOf(cause) };
    log('warn', { withoutSecrets: current === undefined, ...fields });
    await announce('Secrets', fields).catch((error) =>
      log('warn', { notAnnounced: 'Secrets', cause: messageOf(error) }),
    );
  }

  return {
    async load() {
      if (clock.now() < lookAt) return;
      try {
        const text = await read(parameter);
        if (current?.text !== text) {
          current = { text, secrets: readStackSecrets(secretJson(text)) };
          settings = new WeakMap();
        }
        lookAt = clock.now() + KEPT_MS;
      } catch (error) {
        lookAt = clock.now() + TRY_AGAIN_MS;
        await report(error);
      }
    },
    settingsOf(config) {
      if (!current)
        throw new Error(`The secrets of the stack, ${parameter}, cannot be used: no request is made`);
      const known = settings.get(config) ?? withStackSecrets(config, current.secrets);
      settings.set(config, known);
      return known;
    },
  };
}
