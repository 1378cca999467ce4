import type { Link } from '../frontier/message.ts';
import type { HostKey } from '../url/host-key.ts';

/** Links by the host that they are for; each URL once, with all that matters of its links (`foldLink`). */
export type LinksByHost = ReadonlyMap<HostKey, ReadonlyMap<string, Link>>;
