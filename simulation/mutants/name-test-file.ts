/** Before each test file: what it runs, its children too, is noted under its name. */
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { noteSites, SITES_OF } from './overlay.ts';
import { ROOT } from './scope.ts';

process.env[SITES_OF] = relative(ROOT, expect.getState().testPath ?? '');
afterAll(noteSites);
