import { join } from 'node:path';
import { findPeers, type Peer } from './peers.mts';
import { type CommandLine, type Surroundings, timeOf } from './process.mts';
import type { Effort, Way } from './rounds.mts';
import type { Service } from './service.mts';

/** The environment of the parts of a benchmark. */
export interface Stage {
  readonly service: Service;
  /** A temporary folder. */
  readonly folder: string;
  readonly peers: readonly Peer[];
  /** The script that `node` runs for the built innctl. */
  readonly binary: string;
  /** Runs only a few rounds. */
  readonly quick: boolean;
}

/** The environment variables in addition to the settings of innctl: only PATH and HOME, or all of this process. */
export type Environment = 'clean' | 'as it is';

export const root = join(import.meta.dirname, '../..');
export const TOKEN = 'token-of-ana-1234567890';
export const COLLECTION = '/inventory/v1/properties';

/** Creates the stage in a folder. */
export function setStage(service: Service, folder: string, quick: boolean): Stage {
  return {
    service,
    folder,
    peers: findPeers(),
    binary: join(root, 'bin/innctl.js'),
    quick,
  };
}

/** The rounds of a part; with `--quick` only enough to show that it works. */
export function effortOf({ quick }: Stage, effort: Effort): Effort {
  return quick ? { rounds: 2, seconds: Number.POSITIVE_INFINITY } : effort;
}

/** The environment variables of all programs, with the service and its token. `clean` has a separate home. */
export function surroundingsOf({ service, folder }: Stage, environment: Environment): Surroundings {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('INNCTL_'));
  // The service is on this machine, so no proxy is used.
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

/** A way to do a task with a command line. */
export function way(name: string, command: CommandLine, surroundings: Surroundings): Way {
  return { name, run: () => ({ ms: timeOf(command, surroundings) }) };
}

/** Plain Node, the baseline of all comparisons. */
export function bareNode(surroundings: Surroundings): Way {
  return way('node -e 0', [process.execPath, '-e', '0'], surroundings);
}

/** The built innctl. */
export function innctlWay(stage: Stage, args: CommandLine, surroundings: Surroundings): Way {
  return way('innctl', [process.execPath, stage.binary, ...args], surroundings);
}
