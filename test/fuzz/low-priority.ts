/** The fuzzer takes the CPU time that the tests beside it leave over. */
import { constants, setPriority } from 'node:os';

// It measures CPU time, not the time of day: to wait for a core changes no judgement.
setPriority(constants.priority.PRIORITY_LOW);
