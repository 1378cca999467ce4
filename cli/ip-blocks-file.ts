import { MAX_IP_BLOCKS } from '../shared/core/crawl/settings/politeness-settings.ts';
import { quoted, shorten } from '../shared/core/text/printable.ts';
import { parseCidr } from '../shared/crawler/fetcher/ip-address.ts';
import { UsageError } from './usage-error.ts';

/**
 * The CIDR blocks of a file, one a line, as CDNs publish theirs (`104.16.0.0/13`, `2606:4700::/32`). Empty lines and those
 * that begin with `#` say nothing. Throws {@link UsageError} that names the first line which is none.
 */
export function readIpBlocks(text: string, file: string): string[] {
  const blocks = new Set<string>();
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const block = line.trim();
    if (block === '' || block.startsWith('#')) continue;
    const where = `--ip-delay-except: line ${i + 1} of ${file}`;
    if (!block.includes('/') || parseCidr(block) === undefined)
      throw new UsageError(
        `${where}: expected a CIDR block such as 104.16.0.0/13, got ${quoted(shorten(block, 60))}`,
      );
    blocks.add(block);
    if (blocks.size > MAX_IP_BLOCKS)
      throw new UsageError(`${where}: expected at most ${MAX_IP_BLOCKS} blocks`);
  }
  return [...blocks];
}
