import type { Link } from '../../core/frontier/message.ts';
import type { HostKey } from '../../core/url/host-key.ts';

/** Links by the host that they are for; each URL once, with all that matters of its links (`foldLink`). */
export type LinksByHost = ReadonlyMap<HostKey, ReadonlyMap<string, Link>>;
