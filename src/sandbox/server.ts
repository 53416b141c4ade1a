import type { DialectName } from '../service/operations.ts';
import { apaleoSandbox } from './apaleo.ts';
import { buildApp } from './app.ts';
import { contractSandbox, type SandboxDialect } from './call.ts';
import type { Fault } from './faults.ts';
import { createHttpServer, listen, stop } from './http-server.ts';
import { CLIENT_ID, clientSecretOf, issueToken } from './oauth.ts';
import { ADMIN_ID, type SeedName } from './seeds/seed.ts';
import { openStore, type StateOptions } from './store.ts';
import { createFaultPicker } from './under-fault.ts';

const dialects: Readonly<Record<DialectName, SandboxDialect>> = {
  contract: contractSandbox,
  apaleo: apaleoSandbox,
};

const TOKEN_LIFE_MS = 30 * 86_400_000;

export interface SandboxOptions extends Pick<StateOptions, 'folder' | 'now'> {
  /** The seed of a folder without state. Default `small`. */
  readonly seed?: SeedName | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Waited before each operation. Default 0. */
  readonly latencyMs?: number | undefined;
  /** Refuse calls without a token; by default they are the account admin's. */
  readonly requireAuth?: boolean | undefined;
  /** Property lists show only the id and the name. */
  readonly bareLists?: boolean | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** How it spells the operations. Default `contract`. */
  readonly dialect?: DialectName | undefined;
  /** Decides where faults with a rate hit. Default 1. */
  readonly faultSeed?: number | undefined;
}

/** A running sandbox. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Serves the sandbox on the loopback interface.
 *
 * @throws {CliError} `port_unavailable` when the port is not available; `sandbox_...` when the state cannot be used.
 */
export async function startSandbox(options: SandboxOptions) {
  const { folder, now } = options;
  const store = await openStore({ folder, seed: options.seed ?? 'small', now });
  const closing = new AbortController();
  const { seed, secret } = store.read().header;
  const app = buildApp({
    ...options,
    store,
    dialect: dialects[options.dialect ?? 'contract'],
    pickFault: createFaultPicker(options.faults ?? [], options.faultSeed ?? 1),
    keysInUse: new Set(),
    signal: closing.signal,
  });
  const server = createHttpServer(app.fetch);
  const url = await listen(server, options.port ?? 0).catch(async (error) => {
    await store.close();
    throw error;
  });
  const close = async () => {
    closing.abort();
    await stop(server);
    await store.close();
  };
  let closed: Promise<void> | undefined;
  return {
    /** The address of both areas, without a slash at the end. */
    url,
    /** Of the account admin, for 30 days. */
    token: issueToken({ kind: 'user', subjectId: ADMIN_ID }, now() + TOKEN_LIFE_MS, secret),
    clientId: CLIENT_ID,
    clientSecret: clientSecretOf(secret),
    /** The seed of the state, which an earlier start may have chosen. */
    seed,
    /** Ends at most half a second later, with every write that was accepted stored. May be called again. */
    close: (): Promise<void> => {
      closed ??= close();
      return closed;
    },
  };
}
