import { once } from 'node:events';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { sandboxFolder } from '../../config/file.ts';
import { SANDBOX } from '../../config/urls.ts';
import { parseDuration } from '../../model/dates.ts';
import { CliError, ExitCode, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord } from '../../model/records.ts';
import { counted, quote } from '../../model/text.ts';
import type { Facts } from '../../print/output.ts';
import { shellLine } from '../../print/text.ts';
import { type Fault, type FaultKind, faultKinds, type Target } from '../../sandbox/faults.ts';
import { seedNames } from '../../sandbox/seeds/names.ts';
import type { Sandbox } from '../../sandbox/server.ts';
import type { Store } from '../../sandbox/store.ts';
import {
  type DialectName,
  dialectNames,
  methods,
  type OperationId,
  operations,
} from '../../service/operations.ts';
import { DescribedCommand, localCommand } from '../../session/command-line.ts';
import { type LocalSession, settingsWith, withLocalChange, withLocalSession } from '../../session/session.ts';
import { forgetProfile } from '../remember.ts';

/** `sandbox ...`: the local stand-in for the service. */
export function sandboxCommands(context: Context) {
  return new DescribedCommand('sandbox', {
    examples: ['--sandbox properties list', 'sandbox serve --port 8080', 'sandbox reset --seed chain'],
  })
    .summary('run and manage a local stand-in for the service')
    .description('Run and manage a local stand-in for the service, with sample hotels and people.')
    .addCommand(serveSandbox(context))
    .addCommand(resetSandbox(context))
    .addCommand(acceptInvitation(context))
    .addCommand(advanceTime(context))
    .addCommand(showPath(context));
}

/**
 * `sandbox reset`: reset the sandbox, without confirmation. Tokens stay valid; journals of runs on it are removed,
 * because their records are gone.
 */
function resetSandbox(context: Context) {
  return localCommand('reset', 'destroys', ['sandbox reset', 'sandbox reset --seed chain'])
    .exitsWith('refused', 'unavailable')
    .summary('reset the sandbox')
    .description('Reset the sandbox to its sample data, even while it is being served.')
    .addOption(
      new Option('--seed <name>', 'sample data to reset to').choices(seedNames).default('small' as const),
    )
    .action(
      withLocalChange(context, async (session, { seed }) => {
        const { resetState } = await import('../../sandbox/store.ts');
        await resetState({ folder: sandboxFolder(session.folders), seed, now: context.clock.now });
        const { removeJournal } = await import('../../journal/journal.ts');
        const { SANDBOX: target } = await import('../../journal/line.ts');
        await removeJournal(session.folders.state, target);
        await session.out.done(`The sandbox is reset (sample data: ${seed}).`, { seed, reset: true });
        forgetProfile(session.folders, SANDBOX);
      }),
    );
}

/** `sandbox path`: the folder of the sandbox's state, which may not exist yet. */
function showPath(context: Context) {
  return localCommand('path', 'reads', ['sandbox path'])
    .summary('print the folder of the sandbox data')
    .description('Print the folder of the sandbox data.')
    .action(
      withLocalSession(context, async (session) => {
        const path = sandboxFolder(session.folders);
        await session.out.line(path, { path });
      }),
    );
}

const HIGHEST_PORT = 65_535;
const LONGEST_LATENCY_MS = 600_000;

/** innctl masks tokens in all output but the document of --json. */
const profileHint =
  'With --json > sandbox.json another shell can run: innctl profiles add local --file sandbox.json --insecure-storage';

/**
 * `sandbox serve`: serve the sandbox over HTTP on 127.0.0.1 until interrupted; exit 0.
 *
 * Prints the address once it is ready; with --json a document with a profile and its credentials, with `-o ndjson` on
 * one line.
 */
function serveSandbox(context: Context) {
  return localCommand('serve', 'writes', [
    'sandbox serve --port 8080',
    'sandbox serve --seed chain --latency 50 --require-auth',
    'sandbox serve --fault drop-after:method=POST,rate=0.05 --fault 429:nth=3,retry-after=2',
    'sandbox serve -o ndjson',
  ])
    .exitsWith('unavailable')
    .summary('serve the sandbox over HTTP')
    .description('Serve the sandbox over HTTP on 127.0.0.1 until interrupted.')
    .option('--port <n>', 'port to listen on (default: a free port)', wholeNumber(HIGHEST_PORT))
    .addOption(new Option('--seed <name>', 'sample data of a new sandbox').choices(seedNames))
    .addOption(
      new Option('--dialect <name>', 'API dialect to serve (default: contract)').choices(dialectNames),
    )
    .option(
      '--latency <ms>',
      'delay each operation by this many milliseconds',
      wholeNumber(LONGEST_LATENCY_MS),
    )
    .option('--require-auth', 'reject requests without a token')
    .option(
      '--fault <spec>',
      'make requests fail: kind[:key=value,...] (repeatable; innctl help faults)',
      (spec: string, before: readonly Fault[] = []) => [...before, parseFault(spec)],
    )
    .action(
      withLocalSession(
        context,
        async (session, { latency: latencyMs, fault: faults, dialect: given, ...options }) => {
          const { startSandbox } = await import('../../sandbox/server.ts');
          const folder = sandboxFolder(session.folders);
          const dialect = given ?? settingsWith(session, session.config, SANDBOX).dialect.value;
          const { now } = context.clock;
          const sandbox = await startSandbox({ ...options, latencyMs, now, dialect, folder, faults });
          try {
            const { seed = sandbox.seed } = options;
            if (seed !== sandbox.seed)
              await session.out.warn(
                `The sandbox already has data, from the seed ${sandbox.seed}. To reset it: innctl sandbox reset --seed ${seed}`,
              );
            const facts = { ...factsOf(sandbox, dialect), pid: context.pid, folder };
            const { url } = sandbox;
            const urls = [`identity_url\t${url}`, `base_url\t${url}`, `token_url\t${url}/connect/token`];
            await session.out.line(urls.join('\n'), facts);
            await session.out.note('Serving the sandbox. Press Ctrl-C to stop.');
            await session.out.note(profileHint);
            // An interruption ends serving normally.
            if (!context.signal.aborted) await once(context.signal, 'abort');
          } finally {
            await sandbox.close();
          }
        },
      ),
    );
}

/** A profile for the sandbox, with its credentials. */
function factsOf({ url, token, clientId, clientSecret }: Sandbox, dialect: DialectName): Facts {
  const token_url = `${url}/connect/token`;
  return {
    profile: { identity_url: url, base_url: url, dialect, auth: 'token', token_url, client_id: clientId },
    client_secret: clientSecret,
    token,
    url,
  };
}

function wholeNumber(most: number) {
  return (text: string): number => {
    if (/^\d{1,10}$/.test(text) && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${most}.`);
  };
}

/** `sandbox accept <email>`: what the link in an invitation's mail does, even while the sandbox is being served. */
export function acceptInvitation(context: Context) {
  return localCommand('accept', 'writes', ['sandbox accept jonas.keller@aurora.example'])
    .exitsWith('notFound', 'refused', 'unavailable')
    .summary('accept an invitation, as the link in its mail does')
    .description(
      'Accept an invitation in the sandbox, as the link in its mail does: the person becomes an enabled user.',
    )
    .argument('<email>', 'invited e-mail address')
    .action(
      withLocalChange(context, async (session, email) => {
        const { acceptInvitation: accept } = await import('../../sandbox/people.ts');
        const now = context.clock.now();
        await withState(session, async (store) => {
          const { status, body } = await store.write((records) => accept(email, now, records));
          const facts = isRecord(body) ? body : {};
          if (status === 410) throw expired(email);
          if (status === 404) throw notInvited(email);
          await session.out.done(`${email} accepted the invitation, and is a user now.`, {
            ...facts,
            accepted: true,
          });
        });
      }),
    );
}

/** `sandbox advance <duration>`: lets time pass, even while the sandbox is being served. */
export function advanceTime(context: Context) {
  return localCommand('advance', 'writes', ['sandbox advance 31d', 'sandbox advance 12h'])
    .exitsWith('unavailable')
    .summary('let time pass, so that invitations expire')
    .description(
      'Let time pass in the sandbox: all of its records become older. Invitations expire after 30 days, and stay listed.',
    )
    .argument('<duration>', 'hours, days or weeks: 12h, 30d, 2w', durationArgument)
    .action(
      withLocalChange(context, async (session, { typed, ms }) => {
        const { expiredInvitations } = await import('../../sandbox/people.ts');
        const { passTime } = await import('../../sandbox/records.ts');
        await withState(session, async (store) => {
          await store.write((records) => passTime(ms, records));
          const { records } = store.read();
          const expired = expiredInvitations(records, context.clock.now());
          const all = counted(records.invitations.size, 'invitation');
          const sentence = `Advanced the sandbox by ${typed}: ${expired} of ${all} have expired.`;
          await session.out.done(sentence, {
            advanced: typed,
            invitations: records.invitations.size,
            expired,
          });
        });
      }),
    );
}

function durationArgument(typed: string) {
  const ms = parseDuration(typed);
  if (ms === undefined) throw new InvalidArgumentError('It must be like 12h, 30d or 2w.');
  return { typed, ms };
}

/** Works on the state of the sandbox, which other processes may be serving. */
async function withState(session: LocalSession, work: (store: Store) => Promise<void>): Promise<void> {
  const { openStore } = await import('../../sandbox/store.ts');
  const { clock } = session.context;
  const store = await openStore({ folder: sandboxFolder(session.folders), seed: 'small', now: clock.now });
  try {
    await work(store);
  } finally {
    await store.close();
  }
  forgetProfile(session.folders, SANDBOX);
}

function notInvited(email: string): CliError {
  return new CliError('not_found', `There is no invitation to ${quote(email)} in the sandbox.`, {
    exitCode: ExitCode.notFound,
    hint: 'innctl --sandbox invitations list',
  });
}

function expired(email: string): CliError {
  return new CliError(
    'expired',
    `The invitation to ${quote(email)} has expired: links are valid for 30 days.`,
    {
      exitCode: ExitCode.refused,
      hint: shellLine(['innctl', '--sandbox', 'invitations', 'resend', email]),
    },
  );
}

const targets: Readonly<Record<Target, unknown>> = { ...operations, token: undefined };

// The keys of the table are the ids by definition.
const lagging = (Object.keys(operations) as OperationId[]).filter(
  (id) => operations[id].safety === 'read' && /propert|unit|invitation/i.test(id),
);
const isOfList = (id: OperationId) => /^(?:list|count)/.test(id);

/** The operations that lag, by the value of reads=. */
const laggingReads: Readonly<Record<'lists' | 'records' | 'all', readonly Target[]>> = {
  lists: lagging.filter(isOfList),
  records: lagging.filter((id) => !isOfList(id)),
  all: lagging,
};

/** The settings of a fault as they are read. */
interface Settings extends Omit<Fault, 'kind' | 'targets'> {
  readonly operation?: Target;
  readonly reads?: keyof typeof laggingReads;
}

/** The field of each setting, and its value; `undefined` for a wrong one. */
const settings: Readonly<Record<string, readonly [keyof Settings, (text: string) => unknown]>> = {
  rate: ['rate', (text) => (/^\d+(\.\d+)?$/.test(text) ? numberIn(text, Number.MIN_VALUE, 1) : undefined)],
  nth: ['nth', (text) => countFrom(1, text)],
  times: ['times', (text) => countFrom(1, text)],
  method: ['method', (text) => keyOf(methods, text.toUpperCase())],
  operation: ['operation', (text) => keyOf(targets, text)],
  'retry-after': ['retryAfterSeconds', (text) => countFrom(0, text)],
  ms: ['delayMs', (text) => countFrom(0, text)],
  reads: ['reads', (text) => keyOf(laggingReads, text)],
};

const limits = ['rate', 'nth', 'times', 'method', 'operation'];

/** The settings of a kind in addition to `limits`. */
const further: Partial<Record<FaultKind, readonly string[]>> = {
  '429': ['retry-after'],
  '503': ['retry-after'],
  lag: ['ms', 'reads'],
};

/**
 * Reads `kind[:key=value[,key=value...]]`, as in `drop-after:method=POST,nth=3`.
 *
 * @throws {CliError} exit 2 with the choices.
 */
export function parseFault(spec: string): Fault {
  const [name = '', ...rest] = spec.split(':');
  const kind = keyOf(faultKinds, name);
  if (kind === undefined)
    throw badFault(
      spec,
      `${quote(name)} is not a kind of fault`,
      `Kinds: ${Object.keys(faultKinds).join(', ')}.`,
    );
  const text = rest.join(':');
  const parts = text === '' ? [] : text.split(',').map((part) => parsePart(part, spec, kind));
  const given: Settings = Object.assign({}, ...parts);
  const { operation, reads = 'all', ...fields } = given;
  const late: readonly Target[] | undefined = kind === 'lag' ? laggingReads[reads] : undefined;
  const isLagging = late === undefined || operation === undefined || late.includes(operation);
  if (!isLagging) throw badFault(spec, `${operation} does not lag`);
  const hit = operation === undefined ? late : [operation];
  return { kind, ...fields, ...(hit === undefined ? {} : { targets: hit }) };
}

function parsePart(part: string, spec: string, kind: FaultKind): Settings {
  const [key = '', ...rest] = part.split('=');
  const known = [...limits, ...(further[kind] ?? [])];
  const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
  if (setting === undefined || !known.includes(key)) {
    const what = setting === undefined ? 'a fault' : kind;
    throw badFault(
      spec,
      `${quote(key)} is not a setting of ${what}`,
      `Settings of ${kind}: ${known.join(', ')}.`,
    );
  }
  const [field, parse] = setting;
  const text = rest.join('=');
  const value = parse(text);
  if (value !== undefined) return { [field]: value };
  throw badFault(spec, `${quote(part)} is not a valid setting`);
}

function badFault(spec: string, reason: string, hint = 'See: innctl sandbox serve --help'): CliError {
  return usageError(`Cannot read the fault ${quote(spec)}: ${reason}.`, hint);
}

function countFrom(least: number, text: string): number | undefined {
  return /^\d+$/.test(text) ? numberIn(text, least, Number.MAX_SAFE_INTEGER) : undefined;
}

function numberIn(text: string, least: number, most: number): number | undefined {
  const number = Number(text);
  return number >= least && number <= most ? number : undefined;
}

function keyOf<Key extends string>(table: Readonly<Record<Key, unknown>>, text: string): Key | undefined {
  // An own key of the table.
  return Object.hasOwn(table, text) ? (text as Key) : undefined;
}
