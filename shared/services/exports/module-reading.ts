/** The modules of a project, for documents that are made of an archive. */
import { parseConfig } from '../../core/crawl/config.ts';
import type { Clock } from '../../crawler/ports/clock.ts';
import type { CrawlRecord } from '../../crawler/ports/crawl-registry.ts';
import { moduleFor, readByModule } from '../hooks/project-modules.ts';
import type { ModuleReading } from '../outputs/page-document.ts';
import type { MediaModule } from '../project/media-module.ts';

/** Undefined without modules, and for a crawl that reads no documents. */
export function moduleReading(
  modules: readonly MediaModule[] | undefined,
  record: Pick<CrawlRecord, 'config'>,
  clock: Pick<Clock, 'sleep'>,
): ModuleReading | undefined {
  if (!modules?.length) return undefined;
  const config = parseConfig(record.config);
  if (!config.readDocuments) return undefined;
  const project = { modules };
  return {
    reads: (mediaType) => moduleFor(project, mediaType) !== undefined,
    async read(url, mediaType, { headers, body }) {
      const module = moduleFor(project, mediaType)!;
      const document = {
        crawl: { config },
        url,
        mediaType,
        response: { headers, body: { bytes: async () => body } },
        facts: { charset: undefined },
      };
      const answer = await readByModule(module, document, { clock });
      if ('fault' in answer) throw new Error(answer.fault);
      return answer.content;
    },
  };
}
