import { withoutSecrets } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Helped } from '../helper.ts';
import type { Credentials } from '../http/authorization.ts';
import { neutraliseSaid } from '../render/text.ts';
import { readPrinted } from './printed-token.ts';
import { type Issue, renewAtOf, renewable } from './renewable.ts';

/** A command that prints a token, and what it is run with. */
export interface CommandOptions {
  /** For the shell. */
  readonly command: string;
  /** Where it stands, for sentences: `credential_command (profile chain)`. */
  readonly source: string;
  readonly context: Pick<Context, 'clock' | 'env' | 'helper' | 'presentation' | 'redactor' | 'stderr'>;
  readonly warn: (sentence: string) => Promise<void>;
}

const LIMIT_MS = 60_000;
const MAX_BYTES = 65_536;

/** What a shell answers for a program that is not there, and for one that cannot be started. */
const missing: ReadonlyMap<number, string> = new Map([
  [126, ': it cannot be executed'],
  [127, ': the program was not found'],
]);

/**
 * Credentials that a command of the person prints. It runs when a token is first needed, when that comes to its end, and
 * after a 401; once it has failed, it is not run again. Its token is kept nowhere.
 */
export function commandCredentials(options: CommandOptions): Credentials {
  const { source, context } = options;
  const { clock } = context;
  let failure: CliError | undefined;
  let renewAt = Number.POSITIVE_INFINITY;
  const obtain = async (stale: string | undefined, signal: AbortSignal): Promise<Issue> => {
    if (failure !== undefined) throw failure;
    const isRefused = stale !== undefined && clock.now() < renewAt;
    try {
      const issue = await issued(options, signal);
      if (isRefused && issue.header === stale)
        throw unhelpful(source, 'prints the token again that was refused');
      // Who keeps a token until its end prints it once more shortly before.
      renewAt = issue.header === stale ? Number.POSITIVE_INFINITY : issue.renewAt;
      return { ...issue, renewAt };
    } catch (cause) {
      if (cause instanceof CliError) failure = cause;
      throw cause;
    }
  };
  return { source, grant: 'token', ...renewable(obtain, clock) };
}

async function issued(options: CommandOptions, signal: AbortSignal): Promise<Issue> {
  const { source, context } = options;
  const helped = await run(options, signal);
  const wrong = problemOf(helped);
  if (wrong !== undefined) throw unhelpful(source, wrong);
  const printed = readPrinted(helped.stdout, context.clock.now(), context.redactor.add);
  if ('problem' in printed) throw unhelpful(source, printed.problem);
  const { token, expiresAt = Number.POSITIVE_INFINITY } = printed;
  const now = context.clock.now();
  if (expiresAt <= now) throw unhelpful(source, 'prints a token that has come to its end');
  return { header: `Bearer ${token}`, renewAt: renewAtOf(expiresAt, now) };
}

/** What it says goes to our stderr as it comes; beside the one JSON object of an error it stands as a warning. */
async function run({ command, source, context, warn }: CommandOptions, signal: AbortSignal): Promise<Helped> {
  const said: string[] = [];
  let telling = Promise.resolve();
  const say = (text: string) => {
    if (context.presentation.json) said.push(text);
    else telling = telling.then(() => context.stderr.write(neutraliseSaid(text)));
  };
  const limits = { limitMs: LIMIT_MS, maxBytes: MAX_BYTES };
  const helped = await context.helper(command, { ...limits, env: withoutSecrets(context.env), signal, say });
  await telling;
  const words = said.join('').trim();
  if (words !== '') await warn(`${source} said: ${words}`);
  return helped;
}

function problemOf({ exitCode, cut }: Helped): string | undefined {
  if (cut === 'late') return `was not over after ${LIMIT_MS / 1_000} s, and was ended`;
  if (cut === 'too-long') return `prints more than ${MAX_BYTES / 1_024} KiB`;
  if (exitCode === undefined) return 'could not be started, or was ended by a signal';
  return exitCode === 0 ? undefined : `ended with exit code ${exitCode}${missing.get(exitCode) ?? ''}`;
}

/** What it printed is not told: it may be the secret. */
function unhelpful(source: string, what: string): CliError {
  return new CliError('credential_command', `${source} ${what}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'It must print one token, or { "token", "expires_at" } as JSON. Where it stands: innctl config explain credential_command',
  });
}
