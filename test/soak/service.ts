import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyChange, type Change, emptyTables, type Records } from '../../src/sandbox/records.ts';
import { resetState } from '../../src/sandbox/store.ts';
import { type FaultyOptions, parseFault, startSandbox } from '../helpers/fault-front.ts';
import { type Gateway, openGateway } from './gateway.ts';

/** A sandbox behind a gateway, and what its log says. */
export interface Service extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly env: Readonly<Record<string, string>>;
  /** What is stored, and how often each invitation was stored. */
  held(): Promise<Held>;
}

export interface Held {
  readonly records: Records;
  /** By address. */
  readonly invited: ReadonlyMap<string, number>;
}

export interface ServiceOptions {
  readonly folder: string;
  /** How the sandbox is told to fail, as `--fault` has it. */
  readonly faults?: readonly string[];
  readonly sandbox?: Partial<FaultyOptions>;
  /** What the sandbox begins with. Default: the chain. */
  readonly holds?: 'chain' | 'people';
}

/** The hotels that the chain has before a seed comes. */
const CHAIN_SIZE = 40;

/** Starts the chain in a folder of its own. */
export async function openService({
  folder,
  faults = [],
  sandbox = {},
  holds = 'chain',
}: ServiceOptions): Promise<Service> {
  const state = join(folder, 'service');
  const options = { folder: state, now: Date.now, faults: faults.map(parseFault), ...sandbox };
  await resetState({
    folder: state,
    seed: holds,
    ...(holds === 'chain' ? { size: CHAIN_SIZE } : {}),
    now: Date.now,
  });
  const running = await startSandbox(options);
  const gateway = await openGateway(() => Number(new URL(running.url).port));
  return {
    gateway,
    env: {
      INNCTL_IDENTITY_URL: gateway.origin,
      INNCTL_BASE_URL: gateway.origin,
      INNCTL_TOKEN: running.token,
    },
    held: () => readHeld(join(state, 'state.ndjson')),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await running.close();
    },
  };
}

/** Reads the log itself: it tells how often a thing was stored, which no list does. */
export async function readHeld(path: string): Promise<Held> {
  const [, ...lines] = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  const records = emptyTables();
  const invited = new Map<string, number>();
  for (const line of lines) {
    const changes: readonly Change[] = JSON.parse(line);
    for (const change of changes) {
      applyChange(records, change);
      if (!('put' in change) || change.put[0] !== 'invitations') continue;
      invited.set(change.put[1], (invited.get(change.put[1]) ?? 0) + 1);
    }
  }
  return { records, invited };
}
