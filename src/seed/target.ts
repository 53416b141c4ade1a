/** The service that a run works on, as its journal names it: both areas of it and the account, or the sandbox. */
export interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
  /** Whose records they are, as `findAccount` names them: all accounts of a service may have the same URLs. */
  readonly account: string;
  /** What older journals call the same account. */
  readonly formerAccount?: string | undefined;
}

interface Aim {
  readonly sandbox: boolean;
  readonly identityUrl: { readonly value: string } | undefined;
  readonly baseUrl: { readonly value: string } | undefined;
}

export const SANDBOX: Target = { identityUrl: 'sandbox', baseUrl: 'sandbox', account: 'sandbox' };

/** The target that settings lead to. The sandbox has another port each time, and is still the same service. */
export function targetOf(
  { sandbox, identityUrl, baseUrl }: Aim,
  accounts: Pick<Target, 'account' | 'formerAccount'>,
): Target {
  if (sandbox) return SANDBOX;
  return { identityUrl: identityUrl?.value ?? '', baseUrl: baseUrl?.value ?? '', ...accounts };
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

/**
 * Whether what was written down is of the account and the service that a run works on now.
 *
 * @param of as a journal or a plan has it, older ones too.
 */
export function isSameTarget(of: Target, now: Target): boolean {
  const { identityUrl, baseUrl, account } = now;
  return of.identityUrl === identityUrl && of.baseUrl === baseUrl && currentAccount(of) === account;
}

/**
 * The account of a written target, as it is named now; `undefined` where it does not say. Older journals have a
 * list: `profile chain, client INNCTL, account AURORA, user ana-7`.
 */
export function currentAccount({ account }: Target): string | undefined {
  const parts = account.split(', ');
  const found = ['account ', 'user ', 'client '].map((word) => parts.find((part) => part.startsWith(word)));
  const isNamedNow = (part: string) => part === SANDBOX.account || isUnknown(part);
  return found.find((part) => part !== undefined) ?? parts.find(isNamedNow);
}

/** Whether the account could not be determined; see `findAccount`. */
export function isUnknown(account: string): boolean {
  return account.startsWith('unknown account of ');
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
