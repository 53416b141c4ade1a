import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Connect, WireRequest } from '../../src/model/ports.ts';
import { isRecord } from '../../src/model/records.ts';
import type { Records } from '../../src/sandbox/records.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { openStore } from '../../src/sandbox/store.ts';
import {
  type ContractOperationId as OperationId,
  contractOperations as operations,
} from '../../src/service/operations.ts';
import type { Safety } from '../../src/service/retry.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result } from '../helpers/cli.ts';
import { parseFault, startSandbox } from '../helpers/fault-front.ts';
import { keyed } from './front.ts';

const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
/** A fault that hits nothing. */
const UNDISTURBED = '500:nth=1000000';
const DATE = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const LEA = 'lea.wagner@aurora.example';

/** A command, and what the sandbox shows of a write that was carried out. */
interface Rehearsed {
  readonly line: string;
  readonly shows?: (stored: Records) => boolean;
}

const hotel =
  'properties create --code HAM --name en="Harbour Hotel" --company-name Hafenhotel --commercial-register-entry HRB1 ' +
  '--tax-id DE1 --address-line1 Kai --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR --json';

/** Each operation by the command that carries it out. */
const rehearsed = {
  listInvitations: { line: 'invitations list --json' },
  createInvitation: {
    line: 'invitations create ada@example.com --role Housekeeping --properties BER --json',
    shows: ({ invitations }) => invitations.has('ada@example.com'),
  },
  deleteInvitation: {
    line: `invitations delete ${LEA} --yes --json`,
    shows: ({ invitations }) => !invitations.has(LEA),
  },
  listRoles: { line: 'roles list --json' },
  listUsers: { line: 'users list --json' },
  getUser: { line: `users get ${BEN} --json` },
  updateUser: {
    line: `users update ${BEN} --patch '[{"op":"replace","path":"/lastName","value":"Novak"}]' --json`,
    shows: ({ users }) => users.get(BEN)?.last_name === 'Novak',
  },
  getCurrentUser: { line: 'users me --json' },
  listProperties: { line: 'properties list --json' },
  createProperty: { line: hotel, shows: ({ properties }) => properties.has('HAM') },
  countProperties: { line: 'properties count --json' },
  getProperty: { line: 'properties get BER --json' },
  updateProperty: {
    line: 'properties update BER --tax-id DE2 --json',
    shows: ({ properties }) => properties.get('BER')?.['tax_id'] === 'DE2',
  },
  deleteProperty: {
    line: 'properties delete MUC --confirm MUC --json',
    shows: ({ properties }) => !properties.has('MUC'),
  },
  listCountries: { line: 'countries list --json' },
} as const satisfies Record<OperationId, Rehearsed>;

/** How one command ended: what it printed, how often its own request went out, and whether the sandbox shows the write. */
interface Ended extends Result {
  readonly tries: number;
  readonly isDone: boolean | undefined;
}

// The keys of the table are the ids by definition.
const ids = Object.keys(operations) as OperationId[];

/**
 * One operation of each safety, the read first. Faults in a row take turns: each operation meets a few of them, and each fault meets
 * every safety.
 */
export function oneOfEach(turn: number): readonly OperationId[] {
  return (['read', 'keyed', 'once', 'delete', 'patch'] satisfies readonly Safety[]).map((safety) => {
    const alike = ids.filter((id) => operations[id].safety === safety);
    // Every safety has an operation.
    return alike[turn % alike.length] as OperationId;
  });
}

/** How an operation ends under a fault, in the words of `inWords`, by its safety. */
export type Row = readonly [fault: string, ...endings: Endings];
type Endings = readonly [read: string, keyed: string, once: string, remove: string, patch: string];

/** Rows of faults that end alike. @param faults with blanks between them. */
export function alike(endings: Endings, faults: string): readonly Row[] {
  return faults.split(' ').map((fault) => [fault, ...endings]);
}

type Ending = number | string;

/** How a read ends, and the writes: alike but for the tries, for which `#` stands, or in words of their own. */
export function ends(read: string, write: string, ...writes: [Ending, Ending, Ending, Ending]): Endings {
  const [keyed, once, remove, patch] = writes;
  const told = (own: Ending) => (typeof own === 'string' ? own : write.replace('#', String(own)));
  return [read, told(keyed), told(once), told(remove), told(patch)];
}

/** The endings of the operations whose turn it is. */
export function expectedOf(turn: number, endings: Endings): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(oneOfEach(turn).map((id, at) => [id, endings[at]]));
}

/**
 * Runs the commands of operations against a sandbox that fails as told, each operation for itself, and holds each against
 * what is promised of every command.
 *
 * @param fault as `--fault` takes it, with a colon at its end or behind it settings.
 * @param flags stand behind every command.
 */
export async function rehearse(
  fault: string,
  wanted: readonly OperationId[],
  { flags = '' }: { readonly flags?: string } = {},
): Promise<Readonly<Record<string, Ended>>> {
  const faults = wanted.map((id) => parseFault(`${fault}${fault.includes(':') ? ',' : ':'}operation=${id}`));
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const state = { folder: join(folder, 'service'), seed: 'small', now: Date.now } as const;
  const sandbox = await startSandbox({ ...state, faults });
  const ended = await Promise.all(
    wanted.map(async (id) => [id, await carriedOut(id, sandbox, flags)] as const),
  ).finally(sandbox.close);
  const stored = await storedIn(state);
  if (unchanging.test(fault)) await expectSameAnswers(ended, flags);
  return Object.fromEntries(
    ended.map(([id, result]) => {
      const row: Rehearsed = rehearsed[id];
      const whole = { ...result, isDone: row.shows?.(stored) };
      expectPromises(id, whole, sandbox.token);
      return [id, whole];
    }),
  );
}

/** Faults that a read must not show: what it prints is what it prints without them, but for the fields that they add. */
const unchanging = /^answer:(type=|body=(bom|more|prototype|twice)$)/;
const added = new Set(['x_unknown', '__proto__', 'constructor']);

async function expectSameAnswers(
  ended: readonly (readonly [OperationId, { readonly stdout: string }])[],
  flags: string,
): Promise<void> {
  const reads = ended.filter(([id]) => operations[id].safety === 'read');
  const undisturbed = await rehearse(
    UNDISTURBED,
    reads.map(([id]) => id),
    { flags },
  );
  for (const [id, { stdout }] of reads) {
    expect({ id, answer: withoutAdded(stdout) }).toEqual({
      id,
      answer: withoutAdded(undisturbed[id]?.stdout ?? ''),
    });
  }
}

function withoutAdded(document: string): unknown {
  return JSON.parse(document.replaceAll(DATE, '(date)'), (_, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(
          Object.entries(value).filter(
            ([name, own]) => !added.has(name) && !(name === 'id' && own === 'once'),
          ),
        )
      : value,
  );
}

/** The operations whose turn it is; the one that reads is told to fail apart, because reads settle the writes. */
export async function rehearseEach(
  turn: number,
  fault: string,
  options: Parameters<typeof rehearse>[2] = {},
): Promise<Readonly<Record<string, Ended>>> {
  const [read, ...writes] = oneOfEach(turn);
  const ended = await Promise.all([
    rehearse(fault, read === undefined ? [] : [read], options),
    rehearse(fault, writes, options),
  ]);
  return Object.assign({}, ...ended);
}

async function carriedOut(id: OperationId, { url, token }: Sandbox, flags: string) {
  let tries = 0;
  const [method, path] = [operations[id].method, new RegExp(`^${pattern(operations[id].path)}$`)];
  const count = (request: WireRequest) => {
    if (request.method === method && path.test(new URL(request.url).pathname)) tries += 1;
  };
  const start = Date.now();
  const result = await cli(`${rehearsed[id].line} ${flags}`, {
    connect: counting(count),
    // With a time limit the clock stands until then, and no busy machine uses up the time before.
    now: flags.includes('--timeout') ? () => start + (tries === 0 ? 0 : 10_000) : Date.now,
    env: { ...keyed, INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: token },
  });
  return { ...result, tries };
}

function pattern(path: string): string {
  return path.replaceAll('$', '\\$').replaceAll(/\{\w+\}/g, '[^/$]+');
}

function counting(count: (request: WireRequest) => void): Connect {
  return async (options) => {
    const transport = await connectUndici(options);
    return {
      close: transport.close,
      request: (request) => {
        count(request);
        return transport.request(request);
      },
    };
  };
}

/** What holds for every command, whatever the service does. */
function expectPromises(id: OperationId, { exitCode, stdout, stderr, isDone }: Ended, token: string): void {
  const printed = `${stdout}${stderr}`;
  const claim = { exitCode, isDone };
  expect(printed, `${id} leaks its token`).not.toContain(token);
  expect(printed, `${id} shows a stack`).not.toMatch(/\n\s+at .+:\d+|node:internal|TypeError|RangeError/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  expect(printed, `${id} prints control characters`).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]/);
  if (stdout !== '') expect(() => JSON.parse(stdout), `${id} prints no document: ${stdout}`).not.toThrow();
  if (exitCode !== 0) {
    expect({ id, stdout, error: errorIn(stderr) }).toEqual({ id, stdout: '', error: expect.anything() });
  }
  if (isDone === undefined) return;
  if (exitCode === 0) expect({ id, ...claim }).toEqual({ id, exitCode: 0, isDone: true });
  if (exitCode !== 0 && exitCode !== 8) expect({ id, ...claim }).toEqual({ id, exitCode, isDone: false });
}

/** The one error that stderr is, behind its warnings. */
export function errorIn(stderr: string): { readonly code: string; readonly message: string } | undefined {
  const json = stderr.slice(stderr.indexOf('{"error"'));
  if (!json.startsWith('{')) return undefined;
  // What innctl prints under --json is this object.
  return (JSON.parse(json) as { error: { code: string; message: string } }).error;
}

/** Each ending in few words: `exit 7 unavailable after 5 tries`, for writes with what became of them. */
export function inWords(ended: Readonly<Record<string, Ended>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(ended).map(([id, { exitCode, stderr, tries, isDone }]) => {
      const code = exitCode === 0 ? '' : ` ${errorIn(stderr)?.code}`;
      const state = isDone === undefined ? '' : isDone ? ', done' : ', not done';
      return [id, `exit ${exitCode}${code} after ${tries}${state}`];
    }),
  );
}

async function storedIn(state: Parameters<typeof openStore>[0]): Promise<Records> {
  const store = await openStore(state);
  const { records } = store.read();
  await store.close();
  return records;
}
