import type { Command } from '@commander-js/extra-typings';
import { closeCredentials } from '../config/credentials.ts';
import { type ConfigDocument, foldersOf, readConfig } from '../config/file.ts';
import { resolveSettings, type Settings } from '../config/resolve.ts';
import { unknownVariables, withoutSecrets } from '../config/settings.ts';
import { CliError, invalidInput, usageError } from '../model/errors.ts';
import { isKnownField } from '../model/fields.ts';
import type { Context } from '../model/ports.ts';
import { quote } from '../model/text.ts';
import { createOutput, dryRunOf, openView, type View } from '../print/create-output.ts';
import { colourFor, isPlainTerminal } from '../print/paint.ts';
import { screenOf } from '../print/streams.ts';
import { isJsonFormat } from '../print/styles.ts';
import { sameCommand, shellLine } from '../print/text.ts';
import { needsApaleo } from '../service/operations.ts';
import { WouldSend } from '../service/send.ts';
import { DescribedCommand, type GlobalOptions, rootOf, wordsOf } from './command-line.ts';
import type { Connection } from './connection.ts';

/** The session of a command that needs no service. */
export type LocalSession = Readonly<ReturnType<typeof openSession>>;

/** The session of a command that uses the service. */
export type Session = LocalSession & Omit<Connection, 'close'>;

type Action<Args extends unknown[]> = (...args: Args) => Promise<void>;

/** Runs a command that only uses this machine. @param closing restricts the access to files with secrets. */
export function withLocalSession<Args extends unknown[]>(
  context: Context,
  body: (session: LocalSession, ...args: Args) => Promise<void>,
  closing = true,
): Action<Args> {
  return async (...args) => {
    const { session } = await opened(context, args, () => false);
    if (closing) closeCredentials(session.folders.config, session.context);
    await body(session, ...args).catch((error: unknown) => {
      throw withDialectHint(error, session);
    });
  };
}

/** Like `withLocalSession`, for a command that changes something on this machine: it refuses --dry-run. */
export function withLocalChange<Args extends unknown[]>(
  context: Context,
  body: (session: LocalSession, ...args: Args) => Promise<void>,
): Action<Args> {
  return withLocalSession(context, async (session, ...args: Args) => {
    if (session.globals.dryRun === true)
      throw usageError(
        '--dry-run applies only to requests to the service; this command changes local settings. Nothing was changed.',
      );
    await body(session, ...args);
  });
}

/** Runs a command that uses the service, then closes the connection. @param check runs before a connection is opened. */
export function withSession<Args extends unknown[]>(
  context: Context,
  body: (session: Session, ...args: Args) => Promise<void>,
  check: (session: LocalSession, ...args: NoInfer<Args>) => void = () => {},
): Action<Args> {
  const runIn = async (session: LocalSession, args: Args) => {
    check(session, ...args);
    closeCredentials(session.folders.config, context);
    const { openConnection } = await import('./connection.ts');
    const words = wordsOf(commandOf(args)).slice(1).join(' ');
    const { close, ...connection } = await openConnection(session, session.settings(), words);
    try {
      await body({ ...session, ...connection }, ...args);
      await connection.settled();
    } catch (error) {
      if (!(error instanceof WouldSend)) throw withDialectHint(error, session);
      const [text, facts] = dryRunOf(error.request);
      await session.out.unsent(text, { ...facts, ...error.facts });
    } finally {
      await close();
    }
  };
  return async (...args) => {
    const { session, view } = await opened(context, args, isKnownField);
    const { profiles } = session.globals;
    if (profiles === undefined) return runIn(session, args);
    const { namedProfiles, readProfiles } = await import('./profiles.ts');
    const names = namedProfiles(profiles, profileFlag(session.globals), context, session.config);
    const mayAsk = () => false;
    let read: ReturnType<Context['stdin']['read']> | undefined;
    const once = { read: { value: (maxBytes: number) => (read ??= context.stdin.read(maxBytes)) } };
    const shared: Context = { ...context, stdin: Object.create(context.stdin, once) };
    await readProfiles(names, session.out, async (profile, out) => {
      const own = openSession(shared, args, view, isKnownField, { profile });
      await runIn({ ...own, config: session.config, mayAsk, out }, args);
    });
  };
}

/** An error says how to go on if something needs another dialect: with this command line, or always with this profile. */
function withDialectHint(error: unknown, { context, settings }: Pick<LocalSession, 'context' | 'settings'>) {
  if (!(error instanceof CliError && error.message.includes(needsApaleo))) return error;
  const { profile, sandbox } = settings();
  if (profile === undefined || sandbox)
    return error.withHint(`INNCTL_DIALECT=apaleo ${sameCommand(context.argv)}`);
  return error.withHint(shellLine(['innctl', 'config', 'set', 'dialect', 'apaleo', '-p', profile.value]));
}

/**
 * The settings in effect if the settings file contained `document` and --profile selected `profile`.
 *
 * @throws {CliError} exit 2 if one is invalid.
 */
export function settingsWith(
  { globals, context }: Pick<LocalSession, 'globals' | 'context'>,
  document: ConfigDocument,
  profile: string,
): Settings {
  return resolveSettings({ flags: { ...flagsOf(globals), profile }, env: context.env, document });
}

/** Commander passes the command to an action as the last argument. */
function commandOf(args: readonly unknown[]): Command {
  return args.at(-1) as Command;
}

/** The global flags: those of the root, which createRoot made. */
function globalsOf(args: readonly unknown[]): GlobalOptions {
  return rootOf(commandOf(args)).opts() as GlobalOptions;
}

/**
 * A misspelt variable may be meant to guard.
 *
 * @throws {CliError} exit 2 when a command that may change something finds one; others warn.
 */
function refuseUnknownVariables({ env, presentation }: Context, command: Command): void {
  const reason = 'is not a variable of innctl';
  const unknown = unknownVariables(env);
  const hint = 'The variables: innctl help environment';
  if (unknown.length > 0 && command instanceof DescribedCommand && command.about.effect !== 'reads')
    throw invalidInput(
      unknown.map((field) => ({ field, reason })),
      hint,
    );
  presentation.held.push(...unknown.map((name) => `${name} ${reason}. ${hint}`));
}

/** Opens the session of a command line, after a check of its flags and variables. */
async function opened(context: Context, args: readonly unknown[], known: typeof isKnownField) {
  refuseUnknownVariables(context, commandOf(args));
  const view = await viewOf(globalsOf(args), commandOf(args), context);
  return { view, session: openSession(context, args, view, known) };
}

/** Checks the flags before anything is sent or prompted. */
async function viewOf(globals: GlobalOptions, command: Command, context: Context): Promise<View> {
  const { sandbox, profile, profiles } = globals;
  if (profiles !== undefined && command instanceof DescribedCommand)
    (await import('./profiles.ts')).refuseOther(profiles, command, context, () =>
      readConfig(foldersOf(context).config),
    );
  if (sandbox === true && profile !== undefined && profile !== 'sandbox')
    throw usageError(`--sandbox and --profile ${quote(profile)} contradict each other.`);
  return openView(globals);
}

/** @param own flags in place of those of the command line. */
function openSession(
  outside: Context,
  args: readonly unknown[],
  view: View,
  known: typeof isKnownField,
  own: Pick<GlobalOptions, 'profile'> = {},
) {
  const globals: GlobalOptions = { ...globalsOf(args), ...own };
  const context: Context = { ...outside, stderr: screenOf(outside.stderr) };
  const folders = foldersOf(context);
  const config = lazily(() => readConfig(folders.config));
  const flags = flagsOf(globals);
  const settings = lazily(() => resolveSettings({ flags, env: context.env, document: config() }));
  const shown = tolerant(settings, () =>
    resolveSettings({
      flags: { ...flags, profile: undefined },
      env: { ...context.env, INNCTL_PROFILE: undefined },
      document: { version: 1, profiles: {} },
    }),
  );
  if (shown.timeout !== undefined) context.stdin.limit(shown.timeout.value * 1_000);
  const format = view.quiet ? undefined : shown.output?.value;
  const json = isJsonFormat(format);
  const colour = (isTerminal: boolean) =>
    colourFor({ flag: shown.color?.value, env: context.env, isTerminal });
  Object.assign(context.presentation, { json, colour: colour(context.stderr.isTerminal) });
  const mayAsk = () => isPersonThere(context, shown.noInput.value, json);
  return {
    context,
    globals,
    folders,
    get config(): ConfigDocument {
      return config();
    },
    /** The settings in effect when the session was opened. @throws {CliError} exit 2 if one is invalid. */
    settings,
    /** Whether prompting is possible. Not after stdin was read. */
    mayAsk,
    out: createOutput({
      stdout: context.stdout,
      stderr: context.stderr,
      format,
      view,
      isKnownField: known,
      openPager: pagerFor(context, commandOf(args), globals, shown),
      held: json ? context.presentation.held : undefined,
      colour: { stdout: colour(context.stdout.isTerminal), stderr: colour(context.stderr.isTerminal) },
      plain: isPlainTerminal(context.env),
      now: context.clock.now,
      clean: context.redactor.text,
    }),
  };
}

/** The profile that a flag names. */
export function profileFlag({ sandbox, profile }: GlobalOptions): string | undefined {
  return sandbox === true ? 'sandbox' : profile;
}

function flagsOf(globals: GlobalOptions) {
  return {
    profile: profileFlag(globals),
    output: globals.json === true ? 'json' : (globals.output ?? (globals.query && 'json')),
    color: globals.color === false ? 'never' : globals.color,
    timeout: globals.timeout,
    max_attempts: globals.maxAttempts,
    ca_file: globals.caFile,
    max_body: globals.maxBody,
    expect_account: globals.expectAccount,
    insecure_http: globals.insecureHttp === true ? 'true' : undefined,
    no_input: globals.input ? undefined : 'true',
  };
}

/** Reads on first use: a command that needs no settings works although the file is broken. */
function lazily<Value>(read: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

/** A command that repairs a broken profile must still produce output. */
function tolerant(strict: () => Settings, fallback: () => Settings): Settings {
  try {
    return strict();
  } catch (error) {
    if (error instanceof CliError) return fallback();
    throw error;
  }
}

function isPersonThere({ stdin, stderr, env }: Context, noInput: boolean, json: boolean): boolean {
  return stdin.isTerminal && !stdin.spent && stderr.isTerminal && !inCi(env) && !noInput && !json;
}

function inCi(env: Context['env']): boolean {
  return !['', '0', 'false'].includes((env['CI'] ?? '').toLowerCase());
}

/** What starts the pager for the lists of a command that only reads; `undefined` where no person may wait at it, or none is wanted. */
function pagerFor(
  { env, stdout, openPager }: Context,
  command: Command,
  { pager, debug }: GlobalOptions,
  settings: Settings,
) {
  const reads = command instanceof DescribedCommand && command.about.effect === 'reads';
  const isOff = pager === false || debug === true || settings.noInput.value || inCi(env);
  if (!reads || isOff || !stdout.isTerminal || isPlainTerminal(env)) return undefined;
  // Also an empty variable says which pager is wanted: none.
  const given = env['INNCTL_PAGER'] ?? settings.pager?.value ?? env['PAGER'] ?? 'less';
  const name = given.trim();
  return name === '' || name === 'cat' ? undefined : () => openPager(name, withoutSecrets(env));
}
