import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession } from '../../cli/session.ts';
import type { Settings } from '../../config/resolve.ts';
import type { Page } from '../../model/records.ts';
import type { Api } from '../../service/service.ts';
import { type Finding, failed, ok, skipped, skippedAll, warn } from './finding.ts';

/** Page sizes to try; no known service allows more. */
const sizes = [1_000, 500, 200, 100];

/** Codes of errors that mean bad credentials, whatever their exit code. */
const ofCredentials = new Set(['not_logged_in', 'account_mismatch']);

/**
 * Whether the service accepts the token, who owns it, and how many records fit on a page. Sends reads, each once.
 *
 * @param timeoutSeconds for all of them.
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
    const { api, close } = await openConnection(session, { ...settings, ...limits });
    try {
      return await examineApi(api, session);
    } finally {
      await close();
    }
  } catch (cause) {
    session.context.signal.throwIfAborted();
    return skippedService(refused('token', cause));
  }
}

/** The checks of the service when the token was not accepted. */
export function skippedService(token: Finding): readonly Finding[] {
  return [token, ...skippedAll(['user', 'page size'], 'no token was accepted')];
}

async function examineApi(api: Api, { context: { signal } }: LocalSession): Promise<readonly Finding[]> {
  const token = await examineToken(api);
  signal.throwIfAborted();
  if (token.status === 'fail') return skippedService(token);
  const user = await examineUser(api);
  signal.throwIfAborted();
  if (token.status === 'warn') return [token, user, skipped('page size', 'no property may be read')];
  const pages = await examinePages(api);
  signal.throwIfAborted();
  return [token, user, pages];
}

async function examineToken(api: Api): Promise<Finding> {
  try {
    await firstPage(api, 1);
    return ok('token', 'the service accepts it');
  } catch (cause) {
    const finding = refused('token', cause);
    if (!(cause instanceof CliError && cause.status === 403)) return finding;
    return { ...finding, status: 'warn', detail: `the service accepts it: ${cause.message}` };
  }
}

async function examineUser(api: Api): Promise<Finding> {
  const check = 'user';
  try {
    const { email, subject_id: subject } = await api.users.me();
    return ok(check, [email, subject].filter((each) => each !== undefined).join(', '));
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'no_user') return ok(check, 'client credentials: no user');
    if (cause.status === 403) return ok(check, 'no user, as with client credentials');
    return refused(check, cause);
  }
}

/** A service rejects a page that is too large, or silently cuts it: then the count is higher than the number of items. */
async function examinePages(api: Api): Promise<Finding> {
  const check = 'page size';
  for (const size of sizes) {
    try {
      const { items, total } = await firstPage(api, size);
      const isCut = items.length < size && total !== undefined && total > items.length;
      if (isCut) return ok(check, `up to ${items.length} properties per page; the service cuts larger pages`);
      return ok(
        check,
        `up to ${size} properties per page${items.length < size ? ` (there are ${items.length})` : ''}`,
      );
    } catch (cause) {
      const isTooLarge = cause instanceof CliError && [400, 413, 416, 422].includes(cause.status ?? 0);
      if (!isTooLarge) return refused(check, cause);
    }
  }
  return warn(check, `the service rejects a page of ${sizes.at(-1)} properties`);
}

async function firstPage(api: Api, pageSize: number): Promise<Page> {
  for await (const page of api.properties.list({}, { pageNumber: 1, pageSize })) return page;
  return { items: [], total: 0, truncated: false };
}

function refused(check: string, cause: unknown): Finding {
  if (!(cause instanceof CliError)) return failed(check, cause, ExitCode.failed);
  return failed(check, cause, ofCredentials.has(cause.code) ? ExitCode.notLoggedIn : cause.exitCode);
}
