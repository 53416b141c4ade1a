import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program and its arguments. */
export type CommandLine = readonly string[];

/** The environment of a program. */
export interface Surroundings {
  /** The folder for files with its output. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Runs a program until it exits, without stdin; its output goes to files.
 *
 * @returns the wall time in milliseconds.
 * @throws {Error} with the beginning of its stderr if the exit code is not 0.
 */
export function timeOf([program = '', ...args]: CommandLine, { folder, env }: Surroundings): number {
  const errors = join(folder, 'stderr');
  const outputs = [openSync(join(folder, 'stdout'), 'w'), openSync(errors, 'w')] as const;
  const start = performance.now();
  const { status, error } = spawnSync(program, args, { env, stdio: ['ignore', ...outputs] });
  const ms = performance.now() - start;
  for (const output of outputs) closeSync(output);
  if (error !== undefined) throw error;
  if (status === 0) return ms;
  const said = readFileSync(errors, 'utf8').slice(0, 2000);
  throw new Error(`"${program} ${args.join(' ')}" ended with ${status}: ${said}`);
}

/**
 * Runs a script with Node until it exits, with a hook that measures its memory, so that it takes longer.
 *
 * On Linux the `maxRSS` of a child includes the memory of the parent before exec, so that a small
 * child of a large benchmark would look large; VmHWM counts only the child.
 *
 * @returns the peak resident memory in bytes.
 */
export function peakBytesOf(script: CommandLine, { folder, env }: Surroundings): number {
  const hook = join(folder, 'peak.cjs');
  const peak = join(folder, 'peak');
  writeFileSync(
    hook,
    `const { readFileSync, writeFileSync } = require('node:fs');
    process.on('exit', () => {
      const kibibytes =
        process.platform === 'linux'
          ? /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
          : process.resourceUsage().maxRSS;
      writeFileSync(process.env.PEAK_FILE, String(kibibytes));
    });`,
  );
  timeOf([process.execPath, '--require', hook, ...script], { folder, env: { ...env, PEAK_FILE: peak } });
  return Number(readFileSync(peak, 'utf8')) * 1024;
}
