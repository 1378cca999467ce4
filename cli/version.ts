export { version } from '../shared/version.ts';
