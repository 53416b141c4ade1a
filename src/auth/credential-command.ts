import { isUtf8 } from 'node:buffer';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import type { Context, Helped } from '../cli/ports.ts';
import { withoutSecrets } from '../config/settings.ts';
import { parseInstant } from '../model/dates.ts';
import { parsedJson } from '../model/json-text.ts';
import { isRecord } from '../model/records.ts';
import { neutraliseMessage } from '../print/text.ts';
import type { Credentials } from '../service/exchange.ts';
import { type Issue, isSendable, renewAtOf, renewable } from './credentials.ts';

/** A command that prints a token. */
export interface CommandOptions {
  /** For the shell. */
  readonly command: string;
  /** Where it is configured, for messages: `credential_command (profile chain)`. */
  readonly source: string;
  readonly context: Pick<Context, 'clock' | 'env' | 'helper' | 'presentation' | 'redactor' | 'stderr'>;
  readonly warn: (sentence: string) => Promise<void>;
}

const LIMIT_MS = 60_000;
const MAX_BYTES = 65_536;

/** The exit codes of a shell for a program that cannot be started. */
const missing: ReadonlyMap<number, string> = new Map([
  [126, ': it cannot be executed'],
  [127, ': the program was not found'],
]);

/**
 * Credentials that a configured command prints. It runs when a token is first needed, when that expires, and after a 401;
 * once it has failed, it is not run again. Its token is not stored.
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
        throw commandFailed(source, 'prints the token again that was refused');
      // A command that caches its token prints the same one until it expires.
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
  if (wrong !== undefined) throw commandFailed(source, wrong);
  const printed = readPrinted(helped.stdout, context.clock.now(), context.redactor.add);
  if ('problem' in printed) throw commandFailed(source, printed.problem);
  const { token, expiresAt = Number.POSITIVE_INFINITY } = printed;
  const now = context.clock.now();
  if (expiresAt <= now) throw commandFailed(source, 'prints an expired token');
  return { header: `Bearer ${token}`, renewAt: renewAtOf(expiresAt, now) };
}

/** Forwards the command's stderr to ours; with JSON output, where stderr holds one object, as a warning. */
async function run({ command, source, context, warn }: CommandOptions, signal: AbortSignal): Promise<Helped> {
  const messages: string[] = [];
  let written = Promise.resolve();
  const say = (text: string) => {
    if (context.presentation.json) messages.push(text);
    else written = written.then(() => context.stderr.write(neutraliseMessage(text)));
  };
  const limits = { limitMs: LIMIT_MS, maxBytes: MAX_BYTES };
  const helped = await context.helper(command, { ...limits, env: withoutSecrets(context.env), signal, say });
  await written;
  const words = messages.join('').trim();
  if (words !== '') await warn(`${source} said: ${words}`);
  return helped;
}

function problemOf({ exitCode, cut }: Helped): string | undefined {
  if (cut === 'late') return `did not finish within ${LIMIT_MS / 1_000} s, and was stopped`;
  if (cut === 'too-long') return `prints more than ${MAX_BYTES / 1_024} KiB`;
  if (exitCode === undefined) return 'could not be started, or was ended by a signal';
  return exitCode === 0 ? undefined : `ended with exit code ${exitCode}${missing.get(exitCode) ?? ''}`;
}

/** Does not quote what the command printed: it may be the secret. */
function commandFailed(source: string, what: string): CliError {
  return new CliError('credential_command', `${source} ${what}.`, {
    exitCode: ExitCode.notLoggedIn,
    hint: 'It must print one token, or { "token", "expires_at" } as JSON. To see where it is set: innctl config explain credential_command',
  });
}

/** The token that a command printed, or why there is none: the end of a sentence that quotes nothing. */
export type Printed =
  | { readonly token: string; readonly expiresAt: number | undefined }
  | { readonly problem: string };

/** Words that programs print for a missing value. */
const emptyValues = new Set(['null', 'undefined', 'none', 'nil', 'true', 'false']);

/** Smaller times are in seconds: those have ten digits until 2286, milliseconds thirteen since 2001. */
const FIRST_MILLISECONDS = 1e11;

/**
 * Reads one token, or one JSON object: `token` or `access_token`, and `expires_at` (ISO 8601, or seconds or milliseconds since
 * the epoch) or `expires_in` (seconds).
 *
 * @param mask gets what may be the secret, before anything is reported.
 */
export function readPrinted(bytes: Uint8Array, now: number, mask: (secret: string) => void): Printed {
  if (!isUtf8(bytes)) return { problem: 'prints bytes that are not UTF-8' };
  const text = new TextDecoder().decode(bytes).trim();
  if (text === '') return { problem: 'prints nothing' };
  if (text.startsWith('{')) return readObject(text, now, mask);
  const isBare = isSendable(text) && !/^["'[<]/.test(text) && !emptyValues.has(text.toLowerCase());
  if (!isBare) return { problem: 'prints something that is not one token' };
  mask(text);
  return { token: text, expiresAt: undefined };
}

function readObject(text: string, now: number, mask: (secret: string) => void): Printed {
  const value = parsedJson(text);
  if (!isRecord(value)) return { problem: 'prints JSON that is not one object' };
  const tokens = [value['token'], value['access_token']].filter((token) => token !== undefined);
  for (const token of tokens) if (typeof token === 'string') mask(token);
  const [token] = tokens;
  if (tokens.length !== 1 || typeof token !== 'string' || !isSendable(token))
    return { problem: 'prints a JSON object without one "token" (or "access_token") that can be sent' };
  const expiresAt = endOf(value, now);
  return Number.isNaN(expiresAt)
    ? { problem: 'prints an invalid "expires_at" or "expires_in"' }
    : { token, expiresAt };
}

/** Milliseconds since the epoch; `undefined` if not given, `NaN` if invalid. */
function endOf({ expires_at: at, expires_in: seconds }: Record<string, unknown>, now: number) {
  if (at !== undefined && at !== null) {
    if (typeof at === 'string') return parseInstant(at) ?? Number.NaN;
    if (typeof at !== 'number' || at <= 0) return Number.NaN;
    return at < FIRST_MILLISECONDS ? at * 1_000 : at;
  }
  if (seconds === undefined || seconds === null) return undefined;
  return typeof seconds === 'number' && seconds > 0 ? now + seconds * 1_000 : Number.NaN;
}
