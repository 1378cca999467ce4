import { removedHeaders } from '../../../core/access/removed-headers.ts';
import { recordId } from '../../../core/archive/warc-record.ts';
import { encodeWarcinfo } from '../../../core/archive/warcinfo.ts';
import { parseConfig } from '../../../core/crawl/config.ts';
import type { CrawlId } from '../../../core/crawl/crawl-id.ts';
import type { Archive } from '../../../crawler/ports/archive.ts';
import type { CrawlRegistry } from '../../../crawler/ports/crawl-registry.ts';
import { createS3Archive, type S3ArchiveOptions } from './archive.ts';
import { roomFor } from './archive-room.ts';

export interface ArchivesOptions extends Omit<S3ArchiveOptions, 'folder' | 'warcinfo' | 'storing' | 'room'> {
  readonly registry: Pick<CrawlRegistry, 'load'>;
  /** Name and version of the program, for the WARC files. */
  readonly software: string;
  /** The project has accounts at sites, or may give cookies to hosts. */
  readonly keepsCookies?: boolean | undefined;
  /** Does the write of each object of a crawl. Default: it is just done. */
  readonly storing?: <T>(crawl: CrawlId, write: () => Promise<T>) => Promise<T>;
}

/** The folder of a crawl's WARC objects within the bucket. */
export const warcFolder = (crawl: CrawlId): string => `warc/${crawl}`;

/**
 * A folder for each crawl, so that its records can be fetched, shared and deleted without any other's. A
 * crawl's archive is opened when its first record comes: its files name who made them, as the crawl's
 * configuration has it. All archives share the memory for unstored records.
 */
export function createArchives(options: ArchivesOptions): (crawl: CrawlId) => Archive {
  const { registry, software, keepsCookies, storing, ...shared } = options;
  const archives = new Map<CrawlId, Archive>();
  const room = roomFor(options.maxBytes);

  async function open(crawl: CrawlId): Promise<Archive> {
    const record = await registry.load(crawl);
    const config = record && parseConfig(record.config);
    return createS3Archive({
      ...shared,
      room,
      folder: warcFolder(crawl),
      ...(storing && { storing: (write) => storing(crawl, write) }),
      warcinfo: (filename) =>
        encodeWarcinfo({
          id: recordId(shared.clock.uuid()),
          filename,
          date: shared.clock.now(),
          software,
          crawl,
          userAgent: config?.userAgent,
          operator: config?.contact,
          robots: config?.robots,
          description: config && removedHeaders(config, keepsCookies),
        }),
    });
  }

  function createLazily(crawl: CrawlId): Archive {
    let opening: Promise<Archive> | undefined;
    return {
      async append(members, captures) {
        opening ??= open(crawl).catch((error) => {
          opening = undefined;
          throw error;
        });
        return (await opening).append(members, captures);
      },
      async flush() {
        await (await opening)?.flush();
      },
    };
  }

  return (crawl) => {
    const archive = archives.get(crawl) ?? createLazily(crawl);
    archives.set(crawl, archive);
    return archive;
  };
}
