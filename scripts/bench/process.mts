import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One process from its start to its end. */
export interface Run {
  /** Wall time. */
  readonly ms: number;
  /** The most memory that was resident at once; Node tells it, others do not. */
  readonly peakBytes?: number;
}

/**
 * Writes what a Node preloads to leave its peak memory behind.
 *
 * Linux counts the memory of the parent into the `maxRSS` of a child that has not replaced it yet, so that a small
 * child of a large benchmark would look large; VmHWM belongs to the child alone.
 */
export function writePeakHook(folder: string): string {
  const path = join(folder, 'peak.cjs');
  writeFileSync(
    path,
    `const { readFileSync, writeFileSync } = require('node:fs');
    process.on('exit', () => {
      const kibibytes =
        process.platform === 'linux'
          ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
          : process.resourceUsage().maxRSS;
      writeFileSync(process.env.PEAK_FILE, String(kibibytes));
    });`,
  );
  return path;
}

/**
 * Runs a program to its end, without stdin; what it prints goes to files.
 *
 * @throws {Error} with the start of what it complained of when it does not end with 0.
 */
export function runProcess(
  [program = '', ...args]: readonly string[],
  folder: string,
  hook: string,
  env: NodeJS.ProcessEnv,
): Run {
  const peak = join(folder, 'peak');
  const errors = join(folder, 'stderr');
  const outputs = [openSync(join(folder, 'stdout'), 'w'), openSync(errors, 'w')] as const;
  const preload = program === process.execPath ? ['--require', hook] : [];
  const start = performance.now();
  const { status, error } = spawnSync(program, [...preload, ...args], {
    env: { ...env, PEAK_FILE: peak },
    stdio: ['ignore', ...outputs],
  });
  const ms = performance.now() - start;
  for (const output of outputs) closeSync(output);
  if (error !== undefined) throw error;
  if (status !== 0) {
    const said = readFileSync(errors, 'utf8').slice(0, 2000);
    throw new Error(`"${program} ${args.join(' ')}" ended with ${status}: ${said}`);
  }
  return existsSync(peak) ? { ms, peakBytes: Number(readFileSync(peak, 'utf8')) * 1024 } : { ms };
}
