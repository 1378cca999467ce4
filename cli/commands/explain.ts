import { openCrawl } from '../../api/open-crawl.ts';
import { readProject } from '../../shared/services/project/project-file.ts';
import { explainUrl } from '../../shared/services/report/explain.ts';
import type { LocalCommandOf } from '../command.ts';
import { parseCrawlConfig } from '../crawl-config.ts';
import { exitCodes } from '../exit-codes.ts';
import { explanationText } from '../explain-text.ts';

/** `strand explain [DIR] URL`: what would happen to a URL, and why. */
export async function explain({
  dir,
  config,
  options,
  url,
  json,
}: LocalCommandOf<'explain'>): Promise<number> {
  const explained =
    dir === undefined ? await explainWithoutCrawl(config, options, url) : await explainIn(dir, url);
  process.stdout.write(`${json ? JSON.stringify(explained) : explanationText(explained)}\n`);
  return exitCodes.finished;
}

async function explainWithoutCrawl(
  file: string | undefined,
  options: LocalCommandOf<'explain'>['options'],
  url: string,
) {
  const project = await readProject(file);
  return explainUrl({ url, config: parseCrawlConfig({ ...project.crawl, ...options }), now: Date.now() });
}

async function explainIn(dir: string, url: string) {
  await using crawl = await openCrawl(dir);
  return await crawl.explain(url);
}
