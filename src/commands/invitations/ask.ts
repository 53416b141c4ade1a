import type { NewInvitation } from '../../api/invitations.ts';
import { emailProblem } from '../../checks/email.ts';
import { invalidInput } from '../../errors.ts';
import type { Choice } from '../../prompter.ts';
import type { ServiceRecord } from '../../records.ts';
import { neutraliseLine } from '../../render/text.ts';
import type { Session } from '../../session.ts';

/**
 * Asks the person for what the command line leaves open: the e-mail, and for anybody but an account admin the
 * role and the properties, chosen from what the service lists. Off a terminal only the e-mail is needed.
 *
 * @throws {CliError} exit 2 when the e-mail is missing and nobody can be asked.
 */
export async function askForMissing(given: Partial<NewInvitation>, session: Session): Promise<NewInvitation> {
  if (!session.mayAsk()) {
    if (given.email !== undefined) return { ...given, email: given.email };
    throw invalidInput([{ field: 'email', reason: 'is missing' }], 'innctl invitations create <email>');
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
  const listed: Choice[] = [];
  for await (const { items } of api.roles.list({ limit: Number.POSITIVE_INFINITY })) {
    for (const role of items) listed.push(...choice(role['name'], undefined));
  }
  if (listed.length === 0) return context.prompter.text('Role');
  // Nobody should become an administrator by pressing Enter.
  const byPower = listed.toSorted((a, b) => Number(isAdmin(a)) - Number(isAdmin(b)));
  return context.prompter.choose('Role', byPower);
}

function isAdmin({ value }: Choice): boolean {
  return /admin/i.test(value);
}

async function askProperties({ api, context }: Session): Promise<readonly string[]> {
  const choices: Choice[] = [];
  for await (const page of api.properties.list({}, { limit: Number.POSITIVE_INFINITY })) {
    for (const property of page.items) choices.push(...choice(property['id'], nameOf(property)));
  }
  return choices.length === 0 ? [] : context.prompter.chooseSeveral('Properties', choices);
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
