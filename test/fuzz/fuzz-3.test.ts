import { testPart } from './fuzz-part.ts';

testPart(2);
