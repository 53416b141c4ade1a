import type { OAuthHttp } from '../auth/oauth-http.ts';
import { oauthHttp } from '../auth/open-credentials.ts';
import type { Folders } from '../config/file.ts';
import type { Settings } from '../config/resolve.ts';
import type { Output } from '../print/output.ts';
import { neutraliseLine, sameCommand } from '../print/text.ts';
import { readAuthorities } from '../service/authorities.ts';
import { createTrace, type Trace } from '../service/exchange.ts';
import { proxiesFrom, proxyFor, secretsOf } from '../service/proxies.ts';
import { CliError } from './errors.ts';
import { ExitCode } from './exit-codes.ts';
import type { GlobalOptions } from './flags.ts';
import type { Context, Proxies, Transport } from './ports.ts';

/** What opening a connection needs of a session. */
export interface Opening {
  readonly context: Context;
  readonly globals: GlobalOptions;
  readonly folders: Folders;
  readonly out: Output;
}

/** Milliseconds: to connect; and to the head of the answer and between two chunks of its body, unless --timeout is longer. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** The proxies from the environment. Masks their passwords from now on. */
export function proxiesOf({ env, redactor }: Context): Proxies {
  const proxies = proxiesFrom(env);
  for (const secret of secretsOf(proxies)) redactor.add(secret);
  return proxies;
}

/** With the value 0, Node checks no certificates. */
const UNCHECKED = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Opens the transport to all hosts. Sends nothing yet.
 *
 * @throws {CliError} exit 2 if TLS is used and the environment disables certificate checks.
 */
export async function openTransport(
  context: Context,
  settings: Settings,
  proxies: Proxies,
): Promise<Transport> {
  const { caFile, timeout } = settings;
  refuseUnchecked(context, settings, usesTls(settings, proxies));
  const silenceMs = Math.max(SILENCE_MS, Math.ceil((timeout?.value ?? 0) * 1_000));
  return context.connect({
    proxies,
    authorities: await readAuthorities(caFile && { path: caFile.value, source: caFile.source }, context.env),
    connectTimeoutMs: CONNECT_MS,
    headTimeoutMs: silenceMs,
    idleTimeoutMs: silenceMs,
  });
}

/** Refuses TLS without certificate checks. @throws {CliError} exit 2. */
function refuseUnchecked({ env, argv }: Context, { caFile }: Settings, isTls: boolean): void {
  if (env[UNCHECKED] !== '0' || !isTls) return;
  const own = sameCommand(argv, '--ca-file', '<path>');
  const sentence = `${UNCHECKED}=0 turns off the check of certificates: credentials could go to any host. Nothing was sent.`;
  throw new CliError('unchecked_tls', sentence, {
    exitCode: ExitCode.usage,
    hint: `unset ${UNCHECKED}${caFile === undefined ? `; for an authority of your own: ${own}` : ''}`,
  });
}

/** Plain http has no certificates, but its proxy may. */
function usesTls({ identityUrl, baseUrl, tokenUrl, issuer }: Settings, proxies: Proxies): boolean {
  const urls = [identityUrl, baseUrl, tokenUrl, issuer].flatMap((each) =>
    each === undefined ? [] : [new URL(each.value)],
  );
  return urls.some((url) =>
    [url.protocol, proxyFor(proxies, url)?.origin].some((scheme) => scheme?.startsWith('https:')),
  );
}

/** Writes exchanges to stderr with `--debug`. */
export function traceOf({ context, globals }: Opening): Trace {
  return globals.debug === true ? createTrace(context.stderr, neutraliseLine) : undefined;
}

/** Opens a connection to an OAuth server. Sends nothing yet. */
export async function openOAuth(session: Opening, settings: Settings) {
  const { context } = session;
  const transport = await openTransport(context, settings, proxiesOf(context));
  const http = oauthHttp({ settings, context, transport, trace: traceOf(session) });
  const request: OAuthHttp['request'] = async (wire) => {
    // The URL comes from a flag of the login, or from a response of its server.
    refuseUnchecked(context, settings, wire.url.startsWith('https:'));
    return http.request(wire);
  };
  return { http: { ...http, request }, close: (): Promise<void> => transport.close() };
}
