import { dirname } from 'node:path';
import type { Session } from '../../cli/session.ts';
import { readText } from '../../fs/decode.ts';
import { hinting } from '../../fs/read.ts';
import type { AccessDocument } from '../../people/access-document.ts';
import { type ReadPolicy, readPolicy } from '../../people/policy.ts';
import { judge, namedRoles } from '../../people/policy-rules.ts';
import { readAddresses } from '../../seed/address-column.ts';
import { readAll } from '../../service/paging.ts';
import { serviceFlags } from '../lines.ts';

const LARGEST = 1_048_576;

/** A policy with the files that it names. */
interface OpenedPolicy extends ReadPolicy {
  /** How messages name it. */
  readonly name: string;
  /** The addresses of the people who work here; `undefined` without that rule. */
  readonly employees: readonly string[] | undefined;
}

/**
 * Reads a policy and the table of employees beside it. Sends nothing.
 *
 * @param path `-` is stdin.
 * @param hidden what is hidden in a workbook of employees is read, too.
 * @throws {CliError} exit 2 with all that is wrong in the policy, or else in the table.
 */
export async function openPolicy(path: string, session: Session, hidden?: true): Promise<OpenedPolicy> {
  const { stdin } = session.context;
  const open = async () => {
    const { name, text } = await readText(path, stdin, LARGEST);
    return { ...readPolicy(text, name), name };
  };
  const read = await open().catch(hinting('innctl schema access-policy prints what a policy may have.'));
  const { employees } = read.policy;
  const reading = { stdin, hidden, warn: session.out.warn, now: session.context.clock.now() };
  const folder = path === '-' ? '.' : dirname(path);
  return { ...read, employees: employees && (await readAddresses(employees, folder, reading)) };
}

/** Judges an account by a policy. Reads the list of roles if the policy names some. */
export async function judgeAccess(opened: OpenedPolicy, document: AccessDocument, session: Session) {
  const { api, context } = session;
  return judge(opened, {
    facts: document.items,
    properties: document.access.properties,
    employees: opened.employees,
    roles: namedRoles(opened.policy).length === 0 ? [] : await roleNames(api),
    dialect: api.dialect,
    flags: serviceFlags(session.globals),
    now: context.clock.now(),
  });
}

/** All texts of the roles: the contract does not say which field is the name. */
async function roleNames({ roles }: Session['api']): Promise<readonly string[]> {
  const pages = roles.list({}, { limit: Number.POSITIVE_INFINITY });
  const records = await readAll(pages, 'roles', 'tell which roles there are');
  return records.flatMap(Object.values).filter((value) => typeof value === 'string');
}
