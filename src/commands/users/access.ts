import { changesShown, type FieldChange, type Item, itemFor } from '../../change/item.ts';
import { misspeltProperties, suggest } from '../../change/suggest.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import { shownProperties } from '../../model/access.ts';
import {
  givesFullAccess,
  isDone,
  propertyChange,
  reductionBy,
  type UserChanges,
} from '../../model/access-change.ts';
import type { ServiceRecord } from '../../model/records.ts';
import type { Output } from '../../print/output.ts';

/** Whether an update may change access. */
export function changesAccess(changes: UserChanges): boolean {
  const { removed, isOpen } = propertyChange(undefined, changes);
  const { steps } = changes;
  return reductionBy(steps) !== undefined || givesFullAccess(steps) || removed.length > 0 || isOpen;
}

/** Warns of an account admin who loses properties, and reaches every property all the same. */
export async function warnOfFullAccess(
  name: string,
  record: ServiceRecord | undefined,
  changes: UserChanges,
  out: Output,
): Promise<void> {
  const { removed, isOpen } = propertyChange(undefined, changes);
  if ((removed.length === 0 && !isOpen) || reductionBy(changes.steps)?.demotes !== undefined) return;
  if (record?.['is_account_admin'] === true)
    await out.warn(`${name} is an account admin, and keeps full access to every property.`);
}

/** Checks that properties exist: a misspelt id must not look like a removed one. @throws {CliError} exit 3 with a suggestion. */
export async function checkProperties(ids: readonly string[], api: Session['api']): Promise<void> {
  for (const id of ids)
    await api.properties
      .read(id)
      .catch(unlessRefused)
      .catch(suggest(misspeltProperties([id], api)));
}

/** For `catch`: a property that cannot be read may exist. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.notFound) throw error;
}

/** What changes make of a user: an item that sends them, or nothing if they are done already. */
export function userItem(
  name: string,
  { id, record }: { readonly id: string; readonly record: ServiceRecord | undefined },
  changes: UserChanges,
  isAlways = false,
): Item {
  if (!isAlways && record && isDone(record, changes))
    return itemFor({ kind: 'user', name }, 'same', { id, record });
  const { steps, ...edits } = changes;
  const shown = [...changesShown(record ?? {}, steps), ...propertiesShown(record, changes)];
  return itemFor({ kind: 'user', name }, 'change', { id, record, steps, edits, changes: shown });
}

/** What adding and removing changes of the properties. */
function propertiesShown(
  record: ServiceRecord | undefined,
  { addProperties, removeProperties }: UserChanges,
): readonly FieldChange[] {
  if (record === undefined) return [];
  const from = shownProperties(record);
  const { added, removed } = propertyChange(record, { addProperties, removeProperties, steps: [] });
  if (added.length + removed.length === 0) return [];
  const to = [...from.filter((id) => !removed.includes(id)), ...added];
  return [{ field: 'properties', from, to }];
}
