/** The service that a run works on, as its journal names it: both areas of it, or the sandbox. */
export interface Target {
  readonly identityUrl: string;
  readonly baseUrl: string;
}

interface Aim {
  readonly sandbox: boolean;
  readonly identityUrl: { readonly value: string } | undefined;
  readonly baseUrl: { readonly value: string } | undefined;
}

/** The target that settings lead to. The sandbox has another port each time, and is the same service all the same. */
export function targetOf({ sandbox, identityUrl, baseUrl }: Aim): Target {
  if (sandbox) return { identityUrl: 'sandbox', baseUrl: 'sandbox' };
  return { identityUrl: identityUrl?.value ?? '', baseUrl: baseUrl?.value ?? '' };
}

/** A target in words: the sandbox, or the host of each area, once where both are the same. */
export function targetText({ identityUrl, baseUrl }: Target): string {
  return [...new Set([identityUrl, baseUrl].map(hostOf))].join(', ');
}

/** Whether two runs work on one service. */
export function isSameTarget(one: Target, other: Target): boolean {
  return one.identityUrl === other.identityUrl && one.baseUrl === other.baseUrl;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
