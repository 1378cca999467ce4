/**
 * `npm run bench`: measures what the crawler claims. Each claim runs in a process of its own, so that none is
 * measured in the other's heap.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '../shared/core/base/error-message.ts';
import { CLAIMS, type Claim, type ClaimModule } from './claims.ts';
import { argsFor, type BenchCommand, parseBenchArgs, USAGE } from './harness/args.ts';
import { lineOf, recordOf } from './harness/record.ts';
import { addRecord, readRecords } from './harness/records.ts';
import { surroundings } from './harness/surroundings.ts';
import { tableOf, withTable } from './harness/table.ts';

/** Returns the exit code. */
async function measure(claim: Claim, { json, save, options }: BenchCommand): Promise<number> {
  const around = surroundings();
  const module: ClaimModule = await import(claim.file);
  const measured = await module.measure(options);
  const record = recordOf(claim.name, measured, around);
  if (save) addRecord(record);
  if (json) console.log(JSON.stringify(record));
  else {
    console.log(lineOf(claim.name, measured));
    if (measured.detail) console.log(`\n${measured.detail}\n`);
  }
  return measured.hasFailed === true && !save ? 1 : 0;
}

/** Returns the exit code: of the first claim that failed. */
function measureAll(command: BenchCommand): number {
  let code = 0;
  for (const claim of CLAIMS) {
    if (claim.isByName) continue;
    const args = [import.meta.filename, claim.name, ...argsFor(claim, command)];
    const child = spawnSync(process.execPath, [...process.execArgv, ...args], { stdio: 'inherit' });
    code ||= child.status ?? 1;
  }
  return code;
}

function printTable(file: string | undefined): void {
  const table = tableOf(CLAIMS, readRecords());
  if (file === undefined) console.log(table);
  else writeFileSync(file, withTable(readFileSync(file, 'utf8'), table));
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(`${USAGE}\n\n${CLAIMS.map(({ name, says }) => `  ${name.padEnd(12)}${says}`).join('\n')}`);
    return 0;
  }
  let command: BenchCommand;
  try {
    command = parseBenchArgs(args);
  } catch (error) {
    console.error(`${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (command.name === undefined) return measureAll(command);
  if (command.name === 'table') {
    printTable(command.write);
    return 0;
  }
  const claim = CLAIMS.find(({ name }) => name === command.name);
  if (!claim) {
    console.error(
      `Expected one of ${CLAIMS.map(({ name }) => name).join(', ')} or table, got ${command.name}`,
    );
    return 2;
  }
  return measure(claim, command);
}

process.exitCode = await main(process.argv.slice(2));
