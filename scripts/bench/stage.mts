import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findPeers, type Peer } from './peers.mts';
import type { CommandLine, Surroundings } from './process.mts';
import { timeOf } from './process.mts';
import type { Effort, Way } from './rounds.mts';
import type { Service } from './service.mts';

/** What the parts of a benchmark work with. */
export interface Stage {
  readonly service: Service;
  /** Temporary. */
  readonly folder: string;
  readonly peers: readonly Peer[];
  /** What `node` gets for innctl as it is built. */
  readonly binary: string;
  /** The same for a copy to which V8's cached data is missing. */
  readonly uncached: string;
  /** Few rounds of everything. */
  readonly quick: boolean;
}

/** What stands in the environment beside the settings of innctl. */
export type Environment = 'clean' | 'as it is';

export const root = join(import.meta.dirname, '../..');
export const TOKEN = 'token-of-ana-1234567890';
export const COLLECTION = '/inventory/v1/properties';

/** Makes the stage in a folder. */
export function setStage(service: Service, folder: string, quick: boolean): Stage {
  const copy = join(folder, 'uncached');
  mkdirSync(copy);
  for (const part of ['bin', 'completions', 'dist', 'package.json']) {
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !/^code-.*\.bin$/.test(basename(path)),
    });
  }
  return {
    service,
    folder,
    peers: findPeers(),
    binary: join(root, 'bin/innctl.js'),
    uncached: join(copy, 'bin/innctl.js'),
    quick,
  };
}

/** The rounds that a part makes: those few that show that it works where there is no time. */
export function effortOf({ quick }: Stage, effort: Effort): Effort {
  return quick ? { rounds: 2, seconds: Number.POSITIVE_INFINITY } : effort;
}

/** The service stands for that of innctl and of others; a home of its own, unless the environment has one. */
export function surroundingsOf({ service, folder }: Stage, environment: Environment): Surroundings {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('INNCTL_'));
  // The service is on this machine: no proxy is between.
  const asItIs = { ...Object.fromEntries(own), NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
  return {
    folder,
    env: {
      ...(environment === 'clean' ? { PATH: process.env['PATH'], HOME: folder } : asItIs),
      INNCTL_CONFIG_DIR: join(folder, 'config'),
      INNCTL_IDENTITY_URL: service.origin,
      INNCTL_BASE_URL: service.origin,
      INNCTL_TOKEN: TOKEN,
      GH_TOKEN: TOKEN,
    },
  };
}

/** Runs a command line as a way to do a task. */
export function way(name: string, command: CommandLine, surroundings: Surroundings): Way {
  return { name, run: () => ({ ms: timeOf(command, surroundings) }) };
}

/** What all others are compared with. */
export function bareNode(surroundings: Surroundings): Way {
  return way('node -e 0', [process.execPath, '-e', '0'], surroundings);
}

/** innctl as it is built, and without cached data. */
export function innctlWays(stage: Stage, args: CommandLine, surroundings: Surroundings): readonly Way[] {
  const { execPath } = process;
  return [
    way('innctl', [execPath, stage.binary, ...args], surroundings),
    way('innctl without cached data', [execPath, stage.uncached, ...args], surroundings),
  ];
}
