import { detailsFor, invalidInput, usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import type { InventoryField } from '../../model/inventory-fields.ts';
import { choiceProblem } from '../../model/names.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import type { OperationId } from '../../service/operations.ts';
import type { Api } from '../../service/service.ts';
import type { ReadBack } from '../../service/settling.ts';
import { settleBy, settledByRepeating } from '../lines.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';
import { givenFields } from './fields.ts';
import { type InventoryKind, idsMeant } from './kind.ts';
import { suggestId } from './reading.ts';

/** The flags of updates that are no fields, as typed. */
export interface ChangeFlags {
  readonly property?: string;
  readonly unset?: readonly string[];
  readonly verify: boolean;
}

/** What an update sets and removes. */
export interface Changes {
  readonly values: ServiceRecord;
  /** Optional fields, and languages of texts: `rank`, `name.de`. */
  readonly unset: readonly string[];
}

/** How records of one kind are changed. */
export interface Updating {
  readonly kind: InventoryKind;
  readonly operation: OperationId;
  readonly fields: readonly InventoryField[];
  /** The fields that --unset removes, besides languages. */
  readonly removable: readonly string[];
  /** Reads a record with all that its change depends on. */
  readonly read: (id: string, api: Api) => Promise<ServiceRecord>;
  /** Sends what a record lacks; `undefined` if it lacks nothing. */
  readonly send: (
    id: string,
    record: ServiceRecord,
    changes: Changes,
    flags: ChangeFlags,
    session: Session,
  ) => Promise<ReadBack | undefined>;
}

/** The action of `update`. */
export function updating(
  context: Context,
  how: Updating,
  several?: (ids: readonly string[], flags: ChangeFlags, session: Session) => Promise<void>,
) {
  return withReferences<ChangeFlags>(context, how.kind.referred, {
    named: 'writes',
    one: (word, flags, session) => updateOne(word, flags, how, session),
    ...(several && { several }),
  });
}

async function updateOne(word: string, flags: ChangeFlags, how: Updating, session: Session): Promise<void> {
  const { kind, operation, read, send } = how;
  const { api, context, out } = session;
  api.permit(operation, word);
  const changes = changesFrom(flags, how);
  const [id = word] = await idsMeant(kind, [word], flags.property, session);
  api.permit(operation, id);
  const record = await read(id, api).catch(suggestId(id, kind, session));
  const settling = settledByRepeating(context.argv, false);
  const done = await send(id, record, changes, flags, session).catch(settleBy(settling));
  if (done === undefined) return out.done('Nothing was changed.', { id, updated: false });
  await reportWrite(out, `Updated ${kind.noun[0]} ${id}`, { id, updated: true }, done);
}

/** The changes of flags. @throws {CliError} exit 2 with all problems, or without a change. */
export function changesFrom(
  flags: ChangeFlags,
  { fields, kind: { words }, removable }: Pick<Updating, 'fields' | 'kind' | 'removable'>,
): Changes {
  const { values, details } = givenFields(flags, fields);
  const unset = flags.unset ?? [];
  const texts = fields.filter(({ kind }) => kind === 'languages').map(({ name }) => name);
  const wrong = unset.flatMap((path) => {
    const [name = '', ...language] = path.split('.');
    const isText = texts.includes(name) && language.length > 0;
    const known = [...removable, ...texts.map((text) => `${text}.de`)];
    const isTwice = isText ? isRecord(values[name]) && language.join('.') in values[name] : name in values;
    const reason = isText ? languageProblem(language.join('.')) : choiceProblem(path, known);
    return detailsFor('--unset', reason ?? (isTwice ? `${path} is set by a flag too` : undefined));
  });
  if (details.length + wrong.length > 0)
    throw invalidInput([...details, ...wrong], `innctl ${words} update --help`);
  if (Object.keys(values).length + unset.length === 0)
    throw usageError('No changes given.', `innctl ${words} update --help`);
  return { values, unset };
}

/** The texts of a field with those that are set, without those that are removed. @throws {CliError} exit 2 if none is left. */
export function mergedTexts(field: string, { [field]: shown }: ServiceRecord, changes: Changes): unknown {
  const { [field]: set } = changes.values;
  const removed = changes.unset
    .filter((path) => path.startsWith(`${field}.`))
    .map((path) => path.slice(field.length + 1));
  if (set === undefined && removed.length === 0) return shown;
  const merged = { ...(isRecord(shown) ? shown : {}), ...(isRecord(set) ? set : {}) };
  const left = Object.entries(merged).filter(([language]) => !removed.includes(language));
  if (left.length > 0) return Object.fromEntries(left);
  throw invalidInput([{ field: '--unset', reason: `${field} needs a text in at least one language` }]);
}
