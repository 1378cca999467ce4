import { strandCommand } from '../../../harness/strand-run.ts';
import type { Peer } from '../peer.ts';

export const strand: Peer = {
  name: 'strand',
  does: 'robots.txt, WARC with revisits, metadata and CDXJ, durable state; one request at a time to a host',
  obeysRobots: true,
  needs: [],
  install: () => {},
  command: ({ scratch, seeds }) => ({ command: strandCommand(scratch, seeds) }),
};
