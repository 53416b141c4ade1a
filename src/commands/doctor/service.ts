import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import { lookUpCredential } from '../../config/credentials.ts';
import type { Settings } from '../../config/resolve.ts';
import type { Page } from '../../model/records.ts';
import type { Api } from '../../service/service.ts';
import { type Finding, failed, skipped } from './doctor.ts';

/** Beyond the largest that is known of any service. */
const sizes = [1_000, 500, 200, 100];

/** Codes of errors that say that the credentials will not do, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

/**
 * Whether the token is taken, whose it is, and how many records a page may have: reads alone, each tried once.
 *
 * @param timeoutSeconds what is left for all of them.
 */
export async function examineService(
  session: LocalSession,
  settings: Settings,
  timeoutSeconds: number,
): Promise<readonly Finding[]> {
  const limits = {
    timeoutSeconds: { value: timeoutSeconds, source: 'innctl doctor' },
    maxAttempts: { value: 1, source: 'innctl doctor' },
  };
  try {
    const { openConnection } = await import('../../cli/connection.ts');
    const { api, close } = await openConnection({
      ...session,
      readStored: lookUpCredential,
      settings: () => ({ ...settings, ...limits }),
    });
    try {
      return await examineApi(api, session);
    } finally {
      await close();
    }
  } catch (cause) {
    session.context.signal.throwIfAborted();
    return unexamined(failed('token', cause, exitCodeOf(cause)));
  }
}

/** The checks of the service that were not made. */
export function unexamined(token: Finding): readonly Finding[] {
  return [token, skipped('user', 'no token was taken'), skipped('page size', 'no token was taken')];
}

async function examineApi(api: Api, { context }: LocalSession): Promise<readonly Finding[]> {
  const token = await examineToken(api);
  context.signal.throwIfAborted();
  if (token.status === 'fail') return unexamined(token);
  const user = await examineUser(api);
  context.signal.throwIfAborted();
  const pages =
    token.status === 'ok' ? await examinePages(api) : skipped('page size', 'no property may be read');
  context.signal.throwIfAborted();
  return [token, user, pages];
}

async function examineToken(api: Api): Promise<Finding> {
  const check = 'token';
  try {
    await firstPage(api, 1);
    return { check, status: 'ok', detail: 'the service takes it' };
  } catch (cause) {
    if (cause instanceof CliError && cause.status === 403) {
      const { message, hint, requestId } = cause;
      return {
        check,
        status: 'warn',
        detail: `the service knows it: ${message}`,
        hint,
        request_id: requestId,
      };
    }
    return failed(check, cause, exitCodeOf(cause));
  }
}

async function examineUser(api: Api): Promise<Finding> {
  const check = 'user';
  try {
    const { email, subject_id: subject } = await api.users.me();
    return { check, status: 'ok', detail: [email, subject].filter((each) => each !== undefined).join(', ') };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'no_user') return { check, status: 'ok', detail: 'client credentials: no user' };
    if (cause.status === 403) return { check, status: 'ok', detail: 'no user, as with client credentials' };
    return failed(check, cause, exitCodeOf(cause));
  }
}

/** A service refuses a page that is too large, or cuts it without a word: then the count says more than is there. */
async function examinePages(api: Api): Promise<Finding> {
  const check = 'page size';
  for (const size of sizes) {
    try {
      const { items, total } = await firstPage(api, size);
      const isCut = items.length < size && total !== undefined && total > items.length;
      const detail = isCut
        ? `up to ${items.length} properties on a page; the service cuts larger ones`
        : `up to ${size} properties on a page${items.length < size ? ` (there are ${items.length})` : ''}`;
      return { check, status: 'ok', detail };
    } catch (cause) {
      if (isRefusal(cause)) continue;
      return failed(check, cause, exitCodeOf(cause));
    }
  }
  return { check, status: 'warn', detail: `the service takes no page of ${sizes.at(-1)} properties` };
}

async function firstPage(api: Api, pageSize: number): Promise<Page> {
  for await (const page of api.properties.list({}, { pageNumber: 1, pageSize })) return page;
  return { items: [], total: 0, truncated: false };
}

function isRefusal(cause: unknown): boolean {
  return cause instanceof CliError && [400, 413, 416, 422].includes(cause.status ?? 0);
}

function exitCodeOf(cause: unknown): ExitCode {
  if (!(cause instanceof CliError)) return ExitCode.failed;
  return ofCredentials.has(cause.code) ? ExitCode.notLoggedIn : cause.exitCode;
}
