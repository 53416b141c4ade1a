import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { binary, type Ended, type Home, openHome, type RunOptions } from '../bin/home.ts';
import { keyed } from '../faults/front.ts';
import { makeSeed, mixed, type Seed, type Shape } from './seed.ts';
import { openService, type Service, type ServiceOptions } from './service.ts';

/** One `innctl apply` of a seed, as its folder and its service have it. */
export interface Program {
  readonly home: Home;
  readonly service: Service;
  readonly seed: Seed;
  /** The folder of its journal. */
  readonly journal: string;
  /** Runs another command line to its end. */
  innctl(words: readonly string[]): Promise<Ended>;
  /** Runs it to its end. */
  apply(options?: ApplyOptions): Promise<Ended>;
  /** Runs it with a way to kill it, as `kill -9` does. */
  applyKilled(prepare: (kill: () => void) => ApplyOptions): Promise<Ended>;
}

export interface ApplyOptions {
  readonly flags?: readonly string[];
  /** How many rows are under way at once: 16. */
  readonly workers?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Comes before the program: `strace ...`. */
  readonly under?: readonly string[];
  /** Options of Node. */
  readonly node?: readonly string[];
  readonly started?: NonNullable<RunOptions['started']>;
}

/** A home, a service and a seed, the thousand rows unless another shape is told, for the time of some work. */
export async function withProgram<T>(
  work: (program: Program) => Promise<T>,
  { shape = mixed, ...options }: { readonly shape?: Shape } & Omit<ServiceOptions, 'folder'> = {},
): Promise<T> {
  await using home = await openHome();
  await using service = await openService({ folder: home.folder, ...options });
  const seed = makeSeed(shape, (await service.held()).records);
  await writeFile(join(home.folder, 'seed.ndjson'), seed.text);
  return await work(programIn(home, service, seed));
}

function programIn(home: Home, service: Service, seed: Seed): Program {
  const journal = join(home.folder, '.local/state/innctl/journal');
  const line = ['apply', 'seed.ndjson', '--yes', '--max-deletes', '1000', '--json'];
  const apply: Program['apply'] = ({
    workers = 16,
    flags = [],
    env,
    under = [],
    node = [],
    ...options
  } = {}) => {
    const paced = ['--concurrency', String(workers), ...flags];
    return home.run([...under, process.execPath, ...node, binary, ...line, ...paced], {
      ...options,
      env: { ...keyed, ...service.env, ...env },
    });
  };
  return {
    home,
    service,
    seed,
    journal,
    innctl: (words) => home.run([process.execPath, binary, ...words], { env: { ...keyed, ...service.env } }),
    apply,
    applyKilled(prepare) {
      let kill = () => {};
      const options = prepare(() => kill());
      return apply({
        ...options,
        started: (child) => {
          kill = () => child.kill('SIGKILL');
        },
      });
    },
  };
}
