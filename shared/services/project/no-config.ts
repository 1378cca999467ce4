/**
 * Stands for `strand.config.ts` where a project has none: what `#strand-config` means unless a bundle says
 * otherwise.
 */
import type { StrandConfig } from './project.ts';

const config: StrandConfig = {};
export default config;
