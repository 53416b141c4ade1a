import type { Settings } from '../../config/resolve.ts';

/** The service and account of a run, in journals and plans; or the sandbox. */
export interface Target {
  readonly identity_url: string;
  readonly base_url: string;
  /** As `findAccount` names it: all accounts of a service may have the same URLs. */
  readonly account: string;
}

export const SANDBOX: Target = { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox' };

/** The target of the settings. The sandbox is one target, although its port changes. */
export function targetOf(
  { sandbox, identityUrl, baseUrl }: Pick<Settings, 'sandbox' | 'identityUrl' | 'baseUrl'>,
  account: string,
): Target {
  if (sandbox) return SANDBOX;
  return { identity_url: identityUrl?.value ?? '', base_url: baseUrl?.value ?? '', account };
}

/** The stored fields of a target. */
export function writtenTarget({ identity_url, base_url, account }: Target): Target {
  return { identity_url, base_url, account };
}

/** A target for messages: the distinct hosts, and the account. */
export function targetText({ identity_url, base_url, account }: Target): string {
  const hosts = [...new Set([identity_url, base_url].map(hostOf))].join(', ');
  return account === '' || account === hosts ? hosts : `${hosts} (${account})`;
}

/**
 * Whether a stored target is that of the current run.
 *
 * @param of from a journal or plan.
 */
export function isSameTarget(of: Target, now: Target): boolean {
  const { identity_url, base_url, account } = now;
  return of.identity_url === identity_url && of.base_url === base_url && of.account === account;
}

/** The host of a URL; any other text as it is. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
