/**
 * A real OpenSearch as a process of this machine: its jars are those of Maven, and its folder, which has no archive
 * there, is made here.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryCommand } from '../localstack/emulator/command.ts';
import { freePort } from '../localstack/emulator/free-port.ts';
import { cachedFolder, exists, installJars, installOnce } from '../localstack/emulator/install-once.ts';
import { findJava } from '../localstack/emulator/machine.ts';

const POM = join(import.meta.dirname, 'pom.xml');
/** To be raised when the steps below make something else of the same artifacts. */
const RECIPE = 1;
const START_TIMEOUT_MS = 180_000;
/** Later ones have no security manager, which this OpenSearch needs (JEP 486). */
const NEWEST_JAVA = 23;

/** Without it OpenSearch answers no requests. */
const HTTP_MODULE = { name: 'transport-netty4', class: 'org.opensearch.transport.Netty4Plugin' };

export interface OpenSearchServer {
  /** The URL of the server, without a slash at its end. */
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** This machine lacks something that OpenSearch needs. The message names it. */
export class NoOpenSearch extends Error {
  override name = 'NoOpenSearch';
}

/** Installs it the first time (50 MB). Throws {@link NoOpenSearch}. */
export async function startOpenSearch(address: string): Promise<OpenSearchServer> {
  const java = await findJava(NEWEST_JAVA);
  if (java === undefined)
    throw new NoOpenSearch(`Java 17 to ${NEWEST_JAVA} (apt-get install default-jre-headless)`);
  const pom = await readFile(POM, 'utf8');
  const version = /<opensearch.version>(.+?)</.exec(pom)![1]!;
  const installed = cachedFolder('opensearch', [`${RECIPE}`, pom]);
  if (!(await exists(installed)) && (await tryCommand('mvn', ['--version'])) === undefined)
    throw new NoOpenSearch('Maven (apt-get install maven)');
  await installOnce(installed, (partial) => install(partial, version));
  return start(installed, join(java, 'bin', 'java'), { address, version });
}

async function install(folder: string, version: string): Promise<void> {
  const jars = join(folder, 'lib');
  const module = join(folder, 'modules', HTTP_MODULE.name);
  await installJars(POM, jars);
  await mkdir(module, { recursive: true });
  for (const jar of await readdir(jars))
    if (/^(netty|transport-netty4)-/.test(jar)) await rename(join(jars, jar), join(module, jar));
  const descriptor = [
    ...[`name=${HTTP_MODULE.name}`, `description=${HTTP_MODULE.name}`, `classname=${HTTP_MODULE.class}`],
    ...[`version=${version}`, `opensearch.version=${version}`, 'java.version=11'],
  ];
  await writeFile(join(module, 'plugin-descriptor.properties'), `${descriptor.join('\n')}\n`);
  const policy = 'grant {\n  permission java.security.AllPermission;\n};\n';
  await writeFile(join(module, 'plugin-security.policy'), policy);
}

/** Little memory, and a quick compiler: it lives for seconds. */
const JVM = ['-Xms256m', '-Xmx256m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
/** It refuses to run as root, as containers do, if it can ask by its native library. */
const WITHOUT_NATIVE_LIBRARY = ['-Djna.nosys=true', '-Djna.noclasspath=true'];

async function start(
  installed: string,
  java: string,
  { address, version }: { readonly address: string; readonly version: string },
): Promise<OpenSearchServer> {
  const data = await mkdtemp(join(tmpdir(), 'strand-opensearch-'));
  const port = await freePort();
  const url = `http://${address}:${port}`;
  await mkdir(join(data, 'config'));
  const settings = {
    ...{ 'network.host': address, 'http.port': port, 'transport.port': await freePort() },
    ...{ 'discovery.type': 'single-node', 'path.data': join(data, 'data'), 'path.logs': join(data, 'logs') },
    // On a disk that is nearly full it would make indexes read-only.
    'cluster.routing.allocation.disk.threshold_enabled': false,
  };
  await writeFile(join(data, 'config', 'opensearch.yml'), JSON.stringify(settings));
  await writeFile(join(data, 'config', 'log4j2.properties'), LOGGING);
  const log = join(data, 'log');
  const output = openSync(log, 'a');
  const args = [
    ...[...JVM, ...WITHOUT_NATIVE_LIBRARY, '-Djava.security.manager=allow'],
    ...[`-Dopensearch.path.home=${installed}`, `-Dopensearch.path.conf=${join(data, 'config')}`],
    ...['-cp', join(installed, 'lib', '*'), 'org.opensearch.bootstrap.OpenSearch'],
  ];
  // The shell ends the server when the pipe closes: it does not outlive this process, however that ends.
  const child = spawn('sh', ['-c', '"$@" <&- & cat; kill -9 $!', 'sh', java, ...args], {
    stdio: ['pipe', output, output],
  });
  const ended = once(child, 'exit');

  async function stop(): Promise<void> {
    child.stdin!.end();
    await ended;
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  }

  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await answers(url))) {
    const said = await readFile(log, 'utf8');
    if (Date.now() < deadline && !/fatal error|StartupException/.test(said)) continue;
    await stop();
    throw new Error(`OpenSearch ${version} did not start:\n${said.split('\n').slice(-20).join('\n')}`);
  }
  return { url, version, stop };
}

async function answers(url: string): Promise<boolean> {
  const health = `${url}/_cluster/health?wait_for_status=yellow&timeout=5s`;
  const isUp = await fetch(health).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isUp) await new Promise((resolve) => setTimeout(resolve, 200));
  return isUp;
}

const LOGGING = `
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%p] %c{1.} %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
`;
