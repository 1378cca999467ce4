import { causeText } from '../shared/core/causes/cause-text.ts';
import type { Link } from '../shared/core/frontier/message.ts';
import { hostKey } from '../shared/core/url/host-key.ts';
import type { UrlDetail } from '../shared/services/report/url-detail.ts';

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
