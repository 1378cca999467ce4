import { describe } from 'vitest';
import { generatedWebSuite } from './generated-web-suite.ts';

describe('a crawl of the generated web by one worker', () => generatedWebSuite(1));
