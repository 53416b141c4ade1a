/** The service that a run works on, as its journal names it: both areas of it and the account, or the sandbox. */
export interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
  /** Whose records they are, in words: all accounts of a service may have the same URLs. Empty where nothing tells. */
  readonly account: string;
}

interface Aim {
  readonly sandbox: boolean;
  readonly identityUrl: { readonly value: string } | undefined;
  readonly baseUrl: { readonly value: string } | undefined;
}

export const SANDBOX: Target = { identityUrl: 'sandbox', baseUrl: 'sandbox', account: 'sandbox' };

/** The target that settings lead to. The sandbox has another port each time, and is the same service all the same. */
export function targetOf({ sandbox, identityUrl, baseUrl }: Aim, account: string): Target {
  if (sandbox) return SANDBOX;
  return { identityUrl: identityUrl?.value ?? '', baseUrl: baseUrl?.value ?? '', account };
}

/** A target as a journal keeps it. */
export interface WrittenTarget {
  readonly identity_url: string;
  readonly base_url: string;
  readonly account: string;
}

/** A target for a journal. */
export function writtenTarget({ identityUrl, baseUrl, account }: Target): WrittenTarget {
  return { identity_url: identityUrl, base_url: baseUrl, account };
}

/** The target that a journal keeps. */
export function readTarget({ identity_url, base_url, account }: WrittenTarget): Target {
  return { identityUrl: identity_url, baseUrl: base_url, account };
}

/** Whether a journal is of runs on this machine's sandbox. */
export function isSandbox(target: WrittenTarget): boolean {
  return isSameTarget(readTarget(target), SANDBOX);
}

/** A target in words: the sandbox, or the host of each area, once where both are the same, and the account. */
export function targetText({ identityUrl, baseUrl, account }: Target): string {
  const hosts = [...new Set([identityUrl, baseUrl].map(hostOf))].join(', ');
  return account === '' || account === hosts ? hosts : `${hosts} (${account})`;
}

/** Whether two runs work on one account of one service. */
export function isSameTarget(one: Target, other: Target): boolean {
  return (
    one.identityUrl === other.identityUrl && one.baseUrl === other.baseUrl && one.account === other.account
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
