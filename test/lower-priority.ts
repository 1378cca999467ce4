/** Tests that compute leave the CPU to the emulator, whose tests mostly wait, when it asks for it. */
import { getPriority, setPriority } from 'node:os';

const LOWER = 5;

// A process that runs lower still stays there: only root may raise it.
if (getPriority() < LOWER) setPriority(LOWER);
