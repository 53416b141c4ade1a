import type { Api } from '../../api/api.ts';
import type { OperationId } from '../../api/operations.ts';
import type { Item } from '../../apply/item.ts';
import { CliError } from '../../errors.ts';
import type { Entry, Kind } from '../../manifest/entry.ts';

type Permit = Api['permit'];

/** One write, as guards are asked for it. */
type Asked = readonly [id: OperationId, ...ids: string[]];

const MOST_LINES = 20;

/** What writing an entry of a kind comes to at the least. */
const least = {
  property: 'createProperty',
  invitation: 'createInvitation',
  user: 'updateUser',
} as const satisfies Record<Kind, OperationId>;

/**
 * Returns when the settings allow what the entries may come to, before anything is read.
 *
 * @throws {CliError} `blocked`, exit 11.
 */
export function permitKinds(entries: readonly Entry[], prune: boolean, permit: Permit): void {
  const kinds = new Set(entries.map(({ kind }) => kind));
  refuseForbidden(
    [...[...kinds].map((kind): Asked => [least[kind]]), ...(prune ? [['deleteProperty'] as const] : [])],
    permit,
  );
}

/**
 * Returns when the settings allow every row of a plan.
 *
 * @throws {CliError} `blocked`, exit 11, naming all rows that they forbid.
 */
export function permitRows(items: readonly Item[], permit: Permit): void {
  refuseForbidden(
    items.flatMap((item) => operationOf(item) ?? []),
    permit,
  );
}

function operationOf(item: Item): readonly Asked[] | undefined {
  const { kind, action, name, id = name } = item;
  if (action === 'create') return [[least[kind]]];
  if (action === 'change') return [[kind === 'user' ? 'updateUser' : 'updateProperty', id, name]];
  if (action !== 'delete') return undefined;
  return [kind === 'property' ? ['deleteProperty', id, name] : ['deleteInvitation', name]];
}

function refuseForbidden(asked: readonly Asked[], permit: Permit): void {
  const refusals = new Map<string, CliError>();
  for (const [id, ...ids] of asked) {
    try {
      permit(id, ...ids);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      refusals.set(error.message, error);
    }
  }
  const [first, second] = refusals.values();
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = [...refusals.keys()].slice(0, MOST_LINES).map((line) => `  ${line}`);
  const more = refusals.size > MOST_LINES ? [`  and ${refusals.size - MOST_LINES} more`] : [];
  throw new CliError(
    'blocked',
    ['The settings forbid this; nothing was sent:', ...lines, ...more].join('\n'),
    {
      exitCode: first.exitCode,
      hint: first.hint,
    },
  );
}
