import { builtPackage, programIn } from '../../../harness/built-package.ts';
import { strandCommand } from '../../../harness/strand-run.ts';
import type { Peer } from '../peer.ts';

/** The package, as a user installs it. */
export const strand: Peer = {
  name: 'strand',
  does: 'robots.txt, WARC with revisits, metadata and CDXJ, durable state; one request at a time to a host',
  obeysRobots: true,
  needs: [],
  isBuiltHere: true,
  install: builtPackage,
  command: ({ folder, scratch, seeds }) => ({ command: strandCommand(scratch, seeds, 1, programIn(folder)) }),
};
