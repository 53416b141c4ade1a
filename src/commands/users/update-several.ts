import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import { isDone, type UserChanges } from '../../model/access-change.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { shellLine } from '../../print/text.ts';
import { changesShown, type Item, itemFor } from '../../seed/item.ts';
import { emailOf, findByEmail } from '../../service/find-user.ts';
import { replaceFlags } from '../lines.ts';
import { nameTest } from '../references.ts';
import { openAddresses, refuseUnrepeatable, resolveAll, wordProblems } from '../several/resolve.ts';
import { changeSeveral, permitEach, type Row } from '../several/run.ts';
import { firstTexts } from '../suggest.ts';
import {
  type AccessFlags,
  accessProblems,
  checkProperty,
  propertiesShown,
  warnOfFullAccess,
} from './access.ts';
import { type ChangeFlags, changesFrom } from './changes.ts';
import { isEmail, referenceProblems, users } from './reference.ts';

/** A user that a word of the command line names. */
interface NamedRecord {
  readonly word: string;
  readonly record: ServiceRecord;
}

/**
 * Updates several users alike.
 *
 * @throws {CliError} exit 3 or 12 with all references that are not one user; what `changeSeveral` throws.
 */
export async function updateUsers(
  references: readonly string[],
  flags: ChangeFlags & AccessFlags,
  session: Session,
): Promise<void> {
  permitEach('updateUser', references, session);
  const wrong = wordProblems(references, referenceProblems, nameTest(session));
  const problems = [...wrong, ...accessProblems(flags)];
  const changes = await changesFrom(flags, problems, session);
  refuseUnrepeatable(changes.steps, 'user');
  const found = await resolveUsers(references, 'writes', session, (words) => propertyHint(words, session));
  const { addProperties = [], removeProperties = [] } = changes;
  for (const id of [...addProperties, ...removeProperties]) await checkProperty(id, session.api);
  const people = found.map(({ word, record }) => ({ name: emailOf(record) ?? word, record }));
  await warnOfFullAccess(people, changes, session.out);
  await changeSeveral(
    found.map((each) => rowFor(each, changes)),
    flags,
    session,
  );
}

/** The users that words name, each once; reads one list for all e-mail addresses. */
export function resolveUsers(
  words: readonly string[],
  effect: 'reads' | 'writes',
  session: Session,
  hintFor?: (missing: readonly string[]) => Promise<string | undefined>,
): Promise<readonly NamedRecord[]> {
  const idOf = ({ record }: NamedRecord) => String(record['subject_id']);
  return resolveAll(words, users, { find: openFind(session), idOf, named: effect, hintFor }, session);
}

function openFind({ api }: Session) {
  const listed = openAddresses(api.users.listAll, 'users');
  return async (word: string): Promise<NamedRecord> => {
    if (!isEmail(word)) return { word, record: await api.users.read(word) };
    const alike = await listed(word);
    const { subjectId } = await findByEmail(onePage(alike), word);
    const found = alike.find((record) => record['subject_id'] === subjectId);
    return { word, record: found && isWhole(found) ? found : await api.users.read(subjectId) };
  };
}

/** Whether the list shows what an update depends on, so that the user need not be read alone. */
function isWhole(record: ServiceRecord): boolean {
  return typeof record['enabled'] === 'boolean' && shownProperties(record) !== undefined;
}

/** The row of a user. */
function rowFor({ word, record }: NamedRecord, changes: UserChanges): Row {
  const id = String(record['subject_id']);
  return { item: userItem(emailOf(record) ?? word, { id, record }, changes), names: [word, id] };
}

/** What changes make of a user: an item that sends them, or nothing if they are done already. */
export function userItem(
  name: string,
  { id, record }: { readonly id: string; readonly record: ServiceRecord },
  changes: UserChanges,
): Item {
  if (isDone(record, changes)) return itemFor({ kind: 'user', name }, 'same', { id, record });
  const { steps, ...edits } = changes;
  const shown = [...changesShown(record, steps), ...propertiesShown(record, changes)];
  return itemFor({ kind: 'user', name }, 'change', { id, record, steps, edits, changes: shown });
}

const propertyFlags = ['--add-properties', '--property', '--remove-properties', '--set-properties'];

/** The command line with words that are ids of properties moved to the flag before them. */
async function propertyHint(
  words: readonly string[],
  { api, context }: Session,
): Promise<string | undefined> {
  const { argv } = context;
  const suspects = words.filter((word) => !isEmail(word));
  const flag = propertyFlags.find((name) =>
    argv.some((word) => word === name || word.startsWith(`${name}=`)),
  );
  if (suspects.length === 0 || flag === undefined) return undefined;
  const known = new Set(await firstTexts(api.properties, 'id'));
  const ids = suspects.filter((word) => known.has(word));
  const others = argv.filter(
    (word, index) => !ids.includes(word) || argv[index - 1]?.startsWith('-') === true,
  );
  if (ids.length === 0 || argv.length - others.length !== ids.length) return undefined;
  const joined = replaceFlags(others, {
    [flag]: { takes: 'value', as: (value) => [flag, [value, ...ids].join(',')] },
  });
  return shellLine(['innctl', ...joined]);
}
