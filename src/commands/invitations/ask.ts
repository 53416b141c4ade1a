import type { NewInvitation } from '../../api/invitations.ts';
import { idProblem } from '../../api/path.ts';
import { emailProblem } from '../../checks/email.ts';
import { CliError, invalidInput } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { Choice } from '../../prompter.ts';
import type { Page, ServiceRecord } from '../../records.ts';
import { sameCommand } from '../../render/shell.ts';
import { neutraliseLine } from '../../render/text.ts';
import type { Session } from '../../session.ts';
import { collectList, entryProblems } from '../options.ts';
import { roleProblem } from './given.ts';

const EVERY = { limit: Number.POSITIVE_INFINITY };

/**
 * Asks the person for what the command line leaves open: the e-mail, and for anybody but an account admin the
 * role and the properties, chosen from what the service lists. Off a terminal only the e-mail is needed.
 *
 * @throws {CliError} exit 2 when the e-mail is missing and nobody can be asked.
 */
export async function askForMissing(given: Partial<NewInvitation>, session: Session): Promise<NewInvitation> {
  if (!session.mayAsk()) {
    if (given.email !== undefined) return { ...given, email: given.email };
    const again = sameCommand(session.context.argv, '--email', 'EMAIL');
    throw invalidInput([{ field: 'email', reason: 'is missing' }], again);
  }
  const email = given.email ?? (await askEmail(session));
  if (given.is_account_admin === true) return { ...given, email };
  const role = given.role ?? (await askRole(session));
  const properties = given.properties ?? (await askProperties(session));
  return { ...given, email, role, properties };
}

async function askEmail({ context }: Session): Promise<string> {
  const answer = await context.prompter.text('E-mail address to invite', {
    check: (text) => emailProblem(text.trim()) ?? true,
  });
  return answer.trim();
}

async function askRole({ api, context }: Session): Promise<string> {
  const roles = await choicesFrom(api.roles.list({}, EVERY), 'name', () => undefined);
  if (roles === undefined || roles.length === 0) {
    const answer = await context.prompter.text('Role, for example Housekeeping', {
      check: (text) => roleProblem(text.trim()) ?? true,
    });
    return answer.trim();
  }
  // Nobody should become an administrator by pressing Enter.
  const byPower = roles.toSorted((a, b) => Number(isAdmin(a)) - Number(isAdmin(b)));
  return context.prompter.choose('Role', byPower);
}

function isAdmin({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context }: Session): Promise<readonly string[]> {
  const choices = await choicesFrom(api.properties.list({}, EVERY), 'id', nameOf);
  if (choices !== undefined) {
    return choices.length === 0 ? [] : context.prompter.chooseSeveral('Properties', choices);
  }
  const answer = await context.prompter.text('Property ids, for example BER,VIE; empty for none', {
    check: (text) => (text.trim() === '' ? true : (idsProblem(text) ?? true)),
  });
  return answer.trim() === '' ? [] : [...new Set(collectList(answer, undefined))];
}

function idsProblem(text: string): string | undefined {
  return entryProblems('properties', collectList(text, undefined), idProblem)[0]?.reason;
}

/** What can be chosen; `undefined` where the service keeps its list from this caller. */
async function choicesFrom(
  pages: AsyncIterable<Page>,
  field: string,
  labelOf: (record: ServiceRecord) => string | undefined,
): Promise<readonly Choice[] | undefined> {
  const choices: Choice[] = [];
  try {
    for await (const { items } of pages) {
      for (const item of items) choices.push(...choice(item[field], labelOf(item)));
    }
  } catch (error) {
    if (error instanceof CliError && error.exitCode === ExitCode.forbidden) return undefined;
    throw error;
  }
  return choices;
}

function choice(value: unknown, name: string | undefined): readonly Choice[] {
  if (typeof value !== 'string') return [];
  return [{ value, label: neutraliseLine(name === undefined ? value : `${value}  ${name}`) }];
}

/** A property's name is a text in lists and a language map elsewhere. */
function nameOf({ name }: ServiceRecord): string | undefined {
  const first = typeof name === 'object' && name !== null ? Object.values(name)[0] : name;
  return typeof first === 'string' ? first : undefined;
}
