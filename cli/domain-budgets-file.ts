import { MAX_DOMAIN_BUDGETS } from '../shared/core/crawl/settings/limit-settings.ts';
import { quoted, shorten } from '../shared/core/text/printable.ts';
import { canonicalize } from '../shared/core/url/canonical.ts';
import { hostKey } from '../shared/core/url/host-key.ts';
import { domainOf } from '../shared/core/url/registrable-domain.ts';
import { UsageError } from './usage-error.ts';

/** `DOMAIN<TAB>PAGES` a line; empty lines and lines that begin with `#` say nothing. */
const LINE = /^([^\t]{1,500})\t\s*(\d{1,15})\s*$/;

/**
 * The budgets of some registrable domains, from the text of a file: `example.org<TAB>5000` a line, such as ranks give
 * them. Of a domain that comes twice, the last line counts. Throws {@link UsageError} that names the first line which is
 * none.
 */
export function readDomainBudgets(text: string, file: string): Record<string, number> {
  const budgets = new Map<string, number>();
  for (const [i, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name = '', pages = ''] = LINE.exec(line) ?? [];
    const where = `--domain-budgets: line ${i + 1} of ${file}`;
    if (name === '' || Number(pages) < 1)
      throw new UsageError(
        `${where}: expected a domain, a tab and a number of pages from 1, got ${quoted(shorten(line, 60))}`,
      );
    budgets.set(domainIn(name.trim(), where), Number(pages));
    if (budgets.size > MAX_DOMAIN_BUDGETS)
      throw new UsageError(`${where}: expected at most ${MAX_DOMAIN_BUDGETS} domains`);
  }
  return Object.fromEntries(budgets);
}

/** As DNS has it: a name in another script is encoded. */
function domainIn(name: string, where: string): string {
  const host = /[/\s@:]/.test(name) ? '' : hostKey(canonicalize(`http://${name}/`) ?? '');
  if (host === '')
    throw new UsageError(`${where}: expected a domain such as example.org, got ${quoted(name)}`);
  const domain = domainOf(host);
  if (domain === host) return domain;
  throw new UsageError(
    `${where}: expected a registrable domain, got ${quoted(name)}, a host of ${domain}: write ${domain}`,
  );
}
