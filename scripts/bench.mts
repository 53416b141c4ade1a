import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Measures how long a start takes: whole processes, one after the other, each as a multiple of `node -e 0` in the same
 * round. `--json` prints the figures as one document.
 */
const binary = join(import.meta.dirname, '../bin/innctl.js');
const SECONDS_PER_ENVIRONMENT = 20;
const MOST_ROUNDS = 40;

const commands: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  '--version': [binary, '--version'],
  '--help': [binary, '--help'],
  'profiles list': [binary, 'profiles', 'list'],
  'properties list (GET, table)': [binary, 'properties', 'list', '--output', 'table'],
};
const [bare = ''] = Object.keys(commands);

/** One command in one environment; milliseconds of wall time, and multiples of the bare Node of the same round. */
interface Figure {
  readonly environment: string;
  readonly command: string;
  readonly rounds: number;
  readonly ms: Spread;
  readonly ratio: Spread;
}

interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

async function main(json: boolean): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'innctl-bench-'));
  const service = fork(import.meta.filename, ['serve']);
  try {
    const origin = await originOf(service);
    const settings = {
      INNCTL_CONFIG_DIR: home,
      INNCTL_IDENTITY_URL: origin,
      INNCTL_BASE_URL: origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    };
    const figures = [
      ...measure('clean', { PATH: process.env['PATH'], HOME: home, ...settings }),
      ...measure('as it is', { ...process.env, ...settings }),
    ];
    process.stdout.write(json ? `${JSON.stringify({ node: process.version, figures })}\n` : tableOf(figures));
  } finally {
    service.kill();
    rmSync(home, { recursive: true });
  }
}

/** The commands take turns, so that a machine that slows down slows all of them. */
function measure(environment: string, env: NodeJS.ProcessEnv): readonly Figure[] {
  const names = Object.keys(commands);
  for (const name of names) timeOf(name, env);
  const rounds: Readonly<Record<string, number>>[] = [];
  const end = performance.now() + SECONDS_PER_ENVIRONMENT * 1000;
  while (rounds.length < MOST_ROUNDS && performance.now() < end) {
    rounds.push(Object.fromEntries(names.map((name) => [name, timeOf(name, env)])));
  }
  return names.map((command) => ({
    environment,
    command,
    rounds: rounds.length,
    ms: spreadOf(rounds.map((round) => round[command] ?? Number.NaN)),
    ratio: spreadOf(rounds.map((round) => (round[command] ?? Number.NaN) / (round[bare] ?? Number.NaN))),
  }));
}

function timeOf(name: string, env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, commands[name] ?? [], { env, encoding: 'utf8' });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`"${name}" ended with ${status}: ${stderr}`);
  return ms;
}

/** The median, between the lowest and the highest tenth. */
function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    Number((sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2));
  return { low: at(0.1), median: at(0.5), high: at(0.9) };
}

function tableOf(figures: readonly Figure[]): string {
  const shown = ({ low, median, high }: Spread) =>
    `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
  const rows = figures.map(({ environment, command, ms, ratio }) =>
    [environment.padEnd(10), command.padEnd(30), shown(ratio).padEnd(24), shown(ms)].join(''),
  );
  const head = ['env'.padEnd(10), 'command'.padEnd(30), `x ${bare}`.padEnd(24), 'ms'].join('');
  const [first] = figures;
  return [
    `Node ${process.version}; medians of ${first?.rounds} rounds (lowest to highest tenth)`,
    head,
    ...rows,
    '',
  ].join('\n');
}

async function originOf(service: ChildProcess): Promise<string> {
  const [port] = await once(service, 'message');
  return `http://127.0.0.1:${port}`;
}

/** The other half of this program: a service with three hotels, in a process of its own. */
function serve(): void {
  const items = ['BER', 'MUC', 'VIE'].map((id) => ({ id, code: id, name: { en: `Hotel ${id}` } }));
  const body = JSON.stringify({ count: items.length, items });
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on TCP has an address with a port.
    process.send?.((server.address() as AddressInfo).port);
  });
}

if (process.argv[2] === 'serve') serve();
else await main(process.argv.includes('--json'));
