import { CliError } from '../cli/errors.ts';
import type { Session } from '../cli/session.ts';
import type { Entry } from '../files/entry.ts';
import { entryKinds } from '../files/kind.ts';
import type { ServiceRecord } from '../model/records.ts';
import { firstOf } from '../model/text.ts';
import { emailOf } from '../service/find-user.ts';
import { lifeActions } from '../service/inventory.ts';
import type { OperationId } from '../service/operations.ts';
import type { RawRequest } from '../service/raw.ts';
import type { Api } from '../service/service.ts';
import { type Item, isPending } from './item.ts';
import { resolveRow } from './row.ts';

const MOST_NAMED = 20;

/** An operation, and the ids and bodies that guards judge. */
type Asked = readonly [id: OperationId, ...about: (string | ServiceRecord)[]];

/** Asks the guards about an operation before anything is read: about each word, or alone. @throws {CliError} `blocked`, exit 11. */
export function permitEach(
  operation: OperationId,
  about: readonly (string | ServiceRecord)[],
  session: Pick<Session, 'api'>,
): void {
  refuseForbidden(about.length === 0 ? [[operation]] : about.map((each) => [operation, each]), session);
}

/** Asks the guards about all rows that send something. @throws {CliError} `blocked`, exit 11. */
export function permitRows(items: readonly Item[], session: Pick<Session, 'api'>): void {
  refuseForbidden(items.filter(isPending).map(operationOf), session);
}

/** Asks the guards about the kinds of entries before anything is read. @throws {CliError} `blocked`, exit 11. */
export function permitKinds(entries: readonly Entry[], prune: boolean, session: Pick<Session, 'api'>): void {
  const asked = [...new Set(entries.map(({ kind }) => entryKinds[kind].operation))].map((id): Asked => [id]);
  refuseForbidden(prune ? [...asked, ['deleteProperty']] : asked, session);
}

/** Asks the guards about a request that no row stands for. @throws {CliError} `blocked`, exit 11. */
export function permitRequest(request: RawRequest, { raw }: Pick<Api, 'raw'>): void {
  raw.permit(request);
}

/** Asks the guards about taking something away that no operation says. @throws {CliError} `blocked`, exit 11. */
export function permitLoss(does: string, { api }: Pick<Session, 'api'>): void {
  api.permitLoss(does);
}

/** The operation of a pending row. */
function operationOf(item: Item): Asked {
  const { kind, action, name, id = name, life, record = {} } = item;
  const { operation, change = operation, deletion = operation } = entryKinds[kind];
  const { body } = resolveRow(item, new Map(), new Map());
  if (action === 'create') return [operation, name, body];
  if (life !== undefined) return [kind === 'unit' ? 'archiveUnit' : lifeActions[life].operation, id, name];
  if (action === 'change') return [change, id, name, emailOf(record) ?? name, body];
  return kind === 'invitation' ? [deletion, name] : [deletion, id, name];
}

/** @throws {CliError} `blocked`, exit 11, listing all that the guards forbid. */
function refuseForbidden(asked: readonly Asked[], { api }: Pick<Session, 'api'>): void {
  const refusals = new Map<string, CliError>();
  for (const [id, ...about] of asked) {
    try {
      api.permit(id, ...about);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refusals.set(error.message, error);
    }
  }
  const [first, second] = refusals.values();
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = firstOf([...refusals.keys()], MOST_NAMED).map((line) => `  ${line}`);
  throw first.with({ message: ['The settings forbid this; nothing was sent:', ...lines].join('\n') });
}
