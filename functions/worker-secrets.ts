/** The secrets of a stack in its workers: headers, cookies, passwords and proxies that all crawls use. */
import type { CrawlConfig } from '../shared/core/crawl/config.ts';
import { secretJson } from './secret-json.ts';
import { createSecretReader, type SecretOptions } from './secret-reader.ts';
import { readStackSecrets, type StackSecrets, withStackSecrets } from './stack-secrets.ts';

export interface WorkerSecrets {
  /** Reads the secrets when it is time ({@link createSecretReader}). The secrets read before stay in use until then. */
  load(): Promise<void>;
  /**
   * Returns the settings by which a crawl's requests are made: the same object each time, until there are other secrets. Throws
   * if the secrets were never read: pages that a site refuses for want of a password would be stored as its pages.
   */
  settingsOf(config: CrawlConfig): CrawlConfig;
}

export function createWorkerSecrets(options: SecretOptions): WorkerSecrets {
  const { parameter } = options;
  if (parameter === undefined) return { load: async () => {}, settingsOf: (config) => config };
  let current: { readonly text: string; readonly secrets: StackSecrets } | undefined;
  let settings = new WeakMap<CrawlConfig, CrawlConfig>();

  const { load } = createSecretReader({
    ...options,
    parameter,
    trouble: 'Secrets',
    use(text) {
      if (current?.text === text) return;
      current = { text, secrets: readStackSecrets(secretJson(text)) };
      settings = new WeakMap();
    },
  });
  return {
    load,
    settingsOf(config) {
      if (!current)
        throw new Error(`The secrets of the stack, ${parameter}, cannot be used: no request is made`);
      const known = settings.get(config) ?? withStackSecrets(config, current.secrets);
      settings.set(config, known);
      return known;
    },
  };
}
