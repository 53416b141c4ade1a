/** The service that a run works on, as journals and plans name it: both areas of it and the account, or the sandbox. */
export interface Target {
  readonly identity_url: string;
  readonly base_url: string;
  /** Whose records they are, as `findAccount` names them: all accounts of a service may have the same URLs. */
  readonly account: string;
  /** What older journals call the same account. */
  readonly former_account?: string | undefined;
}

interface Aim {
  readonly sandbox: boolean;
  readonly identityUrl: { readonly value: string } | undefined;
  readonly baseUrl: { readonly value: string } | undefined;
}

export const SANDBOX: Target = { identity_url: 'sandbox', base_url: 'sandbox', account: 'sandbox' };

/** The target that settings lead to. The sandbox has another port each time, and is still the same service. */
export function targetOf(
  { sandbox, identityUrl, baseUrl }: Aim,
  accounts: Pick<Target, 'account' | 'former_account'>,
): Target {
  if (sandbox) return SANDBOX;
  return { identity_url: identityUrl?.value ?? '', base_url: baseUrl?.value ?? '', ...accounts };
}

/** A target for a journal. */
export function writtenTarget({ identity_url, base_url, account }: Target): Target {
  return { identity_url, base_url, account };
}

/** Whether a journal is of runs on this machine's sandbox. */
export function isSandbox(target: Target): boolean {
  return isSameTarget(target, SANDBOX);
}

/** A target in words: the sandbox, or the host of each area, once where both are the same, and the account. */
export function targetText({ identity_url, base_url, account }: Target): string {
  const hosts = [...new Set([identity_url, base_url].map(hostOf))].join(', ');
  return account === '' || account === hosts ? hosts : `${hosts} (${account})`;
}

/**
 * Whether what was written down is of the account and the service that a run works on now.
 *
 * @param of as a journal or a plan has it, older ones too.
 */
export function isSameTarget(of: Target, now: Target): boolean {
  const { identity_url, base_url, account } = now;
  return of.identity_url === identity_url && of.base_url === base_url && currentAccount(of) === account;
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
