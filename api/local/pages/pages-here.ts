import { tmpdir } from 'node:os';
import type { CrawlOptions } from '../../../shared/core/crawl/crawl-options.ts';
import type { PageAnswers, PageForm, ViewConfig } from './page-messages.ts';
import type { PageSourceOptions } from './page-source.ts';
import { openPageSource, type PageSource } from './page-source.ts';
import { UntilEnded } from './until-ended.ts';

/** The pages of a session whose hooks are functions of the caller: fetched in this thread, which is not watched. */
export class PagesHere {
  readonly #options: CrawlOptions;
  readonly #project: PageSourceOptions['project'];
  readonly #over = new UntilEnded();
  #opening: Promise<PageSource> | undefined;
  #config: ViewConfig | undefined;

  constructor(options: CrawlOptions, project: PageSourceOptions['project']) {
    this.#options = options;
    this.#project = project;
  }

  /** There after the first answer. */
  get config(): ViewConfig {
    if (this.#config === undefined) throw new Error('Expected a page to be fetched first');
    return this.#config;
  }

  async get<F extends PageForm>(url: string, form: F): Promise<PageAnswers[F]> {
    this.#opening ??= this.#open(url);
    const opening = this.#opening;
    const source = await this.#over.settled(opening).catch((error: unknown) => {
      // The settings may fit another first page.
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    });
    this.#config = source.config;
    return this.#over.settled(source.get(url, form));
  }

  /** Rejects the pages that are in progress with `reason`. */
  async close(reason: unknown): Promise<void> {
    const opening = this.#opening;
    this.#over.end(reason);
    await (await opening?.catch(() => undefined))?.close();
  }

  #open(url: string): Promise<PageSource> {
    return openPageSource(url, this.#options, {
      tempFolder: tmpdir(),
      project: this.#project,
      onFailure: (error) => this.#over.end(error),
    });
  }
}
