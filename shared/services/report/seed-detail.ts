import { causeText } from '../../core/causes/cause-text.ts';
import type { Link } from '../../core/frontier/message.ts';
import { hostKey } from '../../core/url/host-key.ts';
import type { UrlDetail } from './url-detail.ts';

/** A seed that has not come to its host's ledger. */
export const seedDetail = ({ url, depth, kind }: Link): UrlDetail => ({
  url,
  host: hostKey(url),
  depth,
  status: 'waiting',
  kind,
  cause: causeText({ code: 'awaitsFirstVisit' }),
  causeCode: 'awaitsFirstVisit',
});
