import { type Item, isPending } from '../../apply/item.ts';
import { CliError } from '../../errors.ts';
import type { Session } from '../../session.ts';

/**
 * Returns when the person consents to a plan, or --yes did.
 *
 * @param summary of the plan, as a sentence.
 * @throws {CliError} exit 11 otherwise.
 */
export async function consentTo(items: readonly Item[], summary: string, session: Session): Promise<void> {
  try {
    await session.confirm(questionOf(items, session));
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'consent_missing') throw error;
    const { code, message, exitCode, hint } = error;
    throw new CliError(code, `${message} ${summary} Nothing was sent.`, { exitCode, hint });
  }
}

/** `Apply 3 changes to api.example.com (profile chain), among them 1 deletion?` */
function questionOf(items: readonly Item[], session: Session): string {
  const pending = items.filter(isPending);
  const deletions = pending.filter(({ action }) => action === 'delete').length;
  const keptOut = pending.filter(keepsOut).length;
  const harm = [
    ...(deletions === 0 ? [] : [counted(deletions, 'deletion', 'deletions')]),
    ...(keptOut === 0 ? [] : [counted(keptOut, 'user who is kept out', 'users who are kept out')]),
  ];
  const among = harm.length === 0 ? '' : `, among them ${harm.join(' and ')}`;
  return `Apply ${counted(pending.length, 'change', 'changes')} to ${placeOf(pending, session)}${among}?`;
}

function keepsOut({ kind, steps }: Item): boolean {
  return (
    kind === 'user' &&
    steps.some((step) => step.path === '/enabled' && 'value' in step && step.value === false)
  );
}

/** The hosts that will be written to, and the profile that leads there. */
function placeOf(pending: readonly Item[], session: Session): string {
  const { sandbox, baseUrl, identityUrl, profile } = session.settings();
  if (sandbox) return 'the sandbox';
  const urls = pending.map(({ kind }) => (kind === 'property' ? baseUrl : identityUrl)?.value ?? '');
  const hosts = [...new Set(urls)].map((url) => (URL.canParse(url) ? new URL(url).host : url));
  return `${[...new Set(hosts)].join(' and ')}${profile === undefined ? '' : ` (profile ${profile.value})`}`;
}

function counted(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`;
}
