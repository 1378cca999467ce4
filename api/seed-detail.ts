import { causeText } from '../shared/causes/cause-text.ts';
import type { Link } from '../shared/frontier/message.ts';
import type { UrlDetail } from '../shared/report/url-detail.ts';
import { hostKey } from '../shared/url/host-key.ts';

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
