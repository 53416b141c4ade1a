import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { LocalSession, Session } from '../../cli/session.ts';
import type { Output } from '../../out/output.ts';
import type { Entry, Kind } from '../../seed/entry.ts';
import type { Item } from '../../seed/item.ts';
import type { Memory } from '../../seed/journal-line.ts';
import type { Target } from '../../seed/target.ts';
import type { ParsedPlanFlags } from './flags.ts';

/** On a terminal, reports what is read. */
export async function noteReading(
  entries: readonly Pick<Entry, 'kind'>[],
  session: Pick<LocalSession, 'context' | 'out' | 'settings'>,
): Promise<void> {
  const { stderr, presentation } = session.context;
  if (!stderr.isTerminal || presentation.json || entries.length === 0) return;
  const hosts = hostsOf(
    entries.map(({ kind }) => kind),
    session,
  );
  const what = entries.length === 1 ? '1 entry' : `${entries.length} entries`;
  await session.out.note(
    `Comparing ${what} with what ${hosts} ${hosts.includes(' and ') ? 'hold' : 'holds'}.`,
  );
}

/** For records that do not show the flag. */
export const UNDETERMINED = 'The service does not show whether an enabled account admin would be left.';

/** Warns of lock-outs that apply would refuse. */
export async function warnOfLockout(
  items: readonly Item[],
  { api, out }: Pick<Session, 'api' | 'out'>,
): Promise<void> {
  const { openLockoutRule } = await import('../../seed/lockout-rows.ts');
  const rule = await openLockoutRule(items, api.users, [], (address) => address).catch(unlessRefused);
  if (rule instanceof CliError) return out.warn(`Who would lose access is not checked: ${rule.message}`);
  const { judgement } = rule;
  if (judgement.verdict === 'safe') return;
  if (judgement.verdict === 'unknown') return out.warn(UNDETERMINED);
  const who = judgement.hit.map(({ subjectId, email = subjectId }) => email).join(', ');
  const consequence =
    judgement.verdict === 'self'
      ? `This plan takes away your own access (${who})`
      : `This plan leaves no enabled account admin (${who})`;
  await out.warn(`${consequence}: innctl apply refuses it.`);
}

/** If this cannot be read, the plan is still shown; apply checks again. */
function unlessRefused(cause: unknown): CliError {
  if (cause instanceof CliError && cause.exitCode !== ExitCode.notLoggedIn) return cause;
  throw cause;
}

/** Warns if --prune has no journal to work with: an empty plan would be misleading. */
export async function warnOfPrune(
  { prune }: Pick<ParsedPlanFlags, 'prune'>,
  memory: Memory,
  target: Target,
  out: Pick<Output, 'warn'>,
): Promise<void> {
  if (!prune || memory.created().length > 0) return;
  const { targetText } = await import('../../seed/target.ts');
  await out.warn(
    '--prune finds nothing to delete: no journal of an earlier run with these files, named in this order, says that it ' +
      `created anything at ${targetText(target)}.`,
  );
}

/** The hosts of these kinds: `api.example.com`, or `the sandbox`. */
export function hostsOf(kinds: readonly Kind[], { settings }: Pick<LocalSession, 'settings'>): string {
  const { sandbox, baseUrl, identityUrl } = settings();
  if (sandbox) return 'the sandbox';
  const urls = [...new Set(kinds)].map((kind) => (kind === 'property' ? baseUrl : identityUrl)?.value ?? '');
  const hosts = urls.map((url) => (URL.canParse(url) ? new URL(url).host : url));
  return [...new Set(hosts)].join(' and ');
}
