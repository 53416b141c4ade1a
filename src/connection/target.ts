import { join } from 'node:path';
import { bearerCredentials } from '../auth/credentials.ts';
import { openCredentials } from '../auth/open-credentials.ts';
import type { readCredential } from '../config/credentials.ts';
import type { Folders } from '../config/paths.ts';
import type { Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { CliError, invalidInput } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Credentials } from '../http/authorization.ts';
import type { Trace } from '../http/trace.ts';
import type { Output } from '../render/output.ts';
import type { Proxies, Transport } from '../transport.ts';
import { proxiesOf } from './way.ts';

/** What the way to the service is opened with: the session before it has one. */
export interface Surroundings {
  readonly context: Context;
  readonly globals: GlobalOptions;
  readonly folders: Folders;
  readonly out: Output;
  /** How what is stored is read; `readCredential` otherwise. */
  readonly readStored?: typeof readCredential;
  settings(): Settings;
  /** Who asks; otherwise the credentials in force. */
  readonly credentials?: Credentials;
}

/** One service, how it is reached, and who asks. */
export interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
  readonly proxies: Proxies;
  credentials(transport: Transport, trace: Trace): Credentials;
  close(): Promise<void>;
}

/** The service that the settings name; the sandbox is started where it is meant. */
export async function targetFor(outside: Surroundings, settings: Settings): Promise<Target> {
  return settings.sandbox ? await sandboxTarget(outside, settings) : serviceTarget(outside, settings);
}

/** The sandbox, served by this very process. No proxy comes in between. */
async function sandboxTarget({ context, folders }: Surroundings, settings: Settings): Promise<Target> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const folder = join(folders.state, 'sandbox');
  const dialect = settings.dialect.value;
  const sandbox = await startSandbox({ folder, dialect, now: context.clock.now });
  return {
    identityUrl: sandbox.url,
    baseUrl: sandbox.url,
    proxies: {},
    credentials: () => bearerCredentials(sandbox.token, 'the sandbox'),
    close: sandbox.close,
  };
}

function serviceTarget(outside: Surroundings, settings: Settings): Target {
  const { context, folders, out } = outside;
  const { identityUrl, baseUrl, profile } = settings;
  if (identityUrl === undefined && baseUrl === undefined && profile === undefined) throw nowhere();
  if (identityUrl === undefined || baseUrl === undefined) throw urlsMissing(settings);
  return {
    identityUrl: identityUrl.value,
    baseUrl: baseUrl.value,
    proxies: proxiesOf(context),
    credentials: (transport, trace) =>
      outside.credentials ??
      openCredentials({
        settings,
        context,
        folder: folders.config,
        transport,
        trace,
        warn: out.warn,
        readStored: outside.readStored,
      }),
    close: async () => {},
  };
}

function nowhere(): CliError {
  return new CliError('not_logged_in', 'No service is configured.', {
    exitCode: ExitCode.notLoggedIn,
    hint: 'Try it out with --sandbox, or log in at your service: innctl login',
  });
}

/** A profile may hold nothing but guards and defaults. */
function urlsMissing({ identityUrl, baseUrl, profile }: Settings): CliError {
  const missing = [
    { ...settingTable.identity_url, url: identityUrl },
    { ...settingTable.base_url, url: baseUrl },
  ].filter(({ url }) => url === undefined);
  const need = 'both areas of the service need their URL';
  if (profile === undefined)
    return invalidInput(missing.map(({ env }) => ({ field: env, reason: `is missing: ${need}` })));
  const reason = `is missing in profile ${profile.value}: ${need}`;
  return invalidInput(
    missing.map(({ key }) => ({ field: key, reason })),
    `innctl profiles add ${profile.value}, or use another one: innctl profiles list`,
  );
}
