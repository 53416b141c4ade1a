import * as v from 'valibot';
import type { Place } from '../files/entry.ts';
import { identityOf, placeText } from '../files/entry.ts';
import { decodeFile, isTooDeep, readInput } from '../fs/read.ts';
import type { Target } from '../journal/line.ts';
import { isSameTarget, targetText, writtenTarget } from '../journal/line.ts';
import type { PropertyChange } from '../model/access-change.ts';
import { CliError, type Detail, ExitCode, errorText, usageError } from '../model/errors.ts';
import { hashOf, parsedJson } from '../model/json-text.ts';
import { kinds, kindText } from '../model/kinds.ts';
import type { Input } from '../model/ports.ts';
import { isRecord, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { firstOf, quote, sameName } from '../model/text.ts';
import {
  accessChangeOf,
  actions,
  type Item,
  isPending,
  makesAdmin,
  summaryOf,
  withoutRolesIn,
} from './item.ts';
import { bodyWith, stepWith } from './row.ts';

const VERSION = 1;
const LARGEST = 268_435_456;
const MOST_NAMED = 20;
/** Levels of lists and objects: more than an entry, or a record of the service, may have. The digest is recursive. */
const MOST_LEVELS = 200;

export interface SavedPlanOptions {
  readonly stdin: Input;
  /** The command line that makes another plan. */
  readonly planAgain: string;
  /** The items that the resumed run has sent already: they may differ from the plan. */
  readonly underWay?: ReadonlySet<Item>;
}

const savedSchema = v.object({
  plan: v.looseObject({
    version: v.optional(v.union([v.number(), v.string()])),
    identity_url: v.optional(v.string()),
    base_url: v.optional(v.string()),
    account: v.optional(v.string()),
  }),
  items: v.array(v.looseObject({ action: v.picklist(actions), kind: v.picklist(kinds), name: v.string() })),
});

/** An item of a saved plan. */
type SavedItem = v.InferOutput<typeof savedSchema>['items'][number];

/**
 * The header of a plan, by which it is checked before it is applied.
 *
 * @param now milliseconds since the epoch.
 */
export function planDocument(items: readonly Item[], target: Target, now: number) {
  return {
    summary: summaryOf(items),
    plan: {
      version: VERSION,
      made: new Date(now).toISOString(),
      ...writtenTarget(target),
      digest: digestOf(items.map(itemJson)),
    },
  };
}

/**
 * Fails if a saved plan differs from a new one.
 *
 * @param path of the output of `plan --json`; `-` is stdin.
 * @param items the new plan.
 * @throws {CliError} `plan_changed`, exit 6, naming the differences; exit 2 when it is no plan, or for another service.
 */
export async function refuseIfChanged(
  path: string,
  items: readonly Item[],
  target: Target,
  { stdin, planAgain, underWay = new Set() }: SavedPlanOptions,
): Promise<void> {
  const saved = savedItemsIn(await readInput(path, stdin, LARGEST), nameOf(path), target, planAgain);
  const idOf = new Map(
    items
      .filter((item) => item.kind === 'property' && item.id !== undefined && underWay.has(item))
      .map(({ name, id }) => [sameName(name), id]),
  );
  const planned = new Map(saved.map((item) => [identityOf(item), item]));
  const details: Detail[] = items.flatMap((item) => {
    const before = planned.get(identityOf(item));
    planned.delete(identityOf(item));
    const reason =
      before === undefined ? 'is not in the plan' : differenceOf(before, item, idOf, underWay.has(item));
    return reason === undefined ? [] : [{ field: labelOf(item), reason }];
  });
  // A record to delete that is gone needs no action.
  const gone = [...planned.values()].filter(({ action }) => action !== 'delete');
  details.push(...gone.map((item) => ({ field: labelOf(item), reason: 'is not in the files any more' })));
  if (details.length > 0) throw changed(nameOf(path), details, planAgain);
}

function savedItemsIn(bytes: Uint8Array, name: string, target: Target, planAgain: string) {
  const value = parsedJson(decodeFile(bytes, name));
  const { success, output } = v.safeParse(savedSchema, isTooDeep(value, MOST_LEVELS) ? undefined : value);
  if (!success) throw usageError(`${name} is not a plan.`, 'innctl plan FILE --json > plan.json makes one.');
  const { plan, items } = output;
  const version = String(plan['version']);
  if (plan['version'] !== VERSION)
    throw usageError(`${name} is a plan of version ${version}; this innctl reads ${VERSION}.`);
  if (plan['digest'] !== digestOf(items))
    throw usageError(`${name} is not as it was printed: it was edited, or cut.`, `Plan again: ${planAgain}`);
  const { identity_url, base_url, account } = plan;
  const made = { identity_url: String(identity_url), base_url: String(base_url), account: String(account) };
  if (!isSameTarget(made, target))
    throw usageError(
      `${name} was made for ${targetText(made)}, and this is ${targetText(target)}.`,
      `Plan again: ${planAgain}`,
    );
  return items;
}

/** The fields that must not change between the plan and its run. */
function essenceOf({ kind, name, action, id, patch, body, seen }: ServiceRecord): ServiceRecord {
  return { kind, name, action, id, patch, body, seen };
}

function digestOf(items: readonly ServiceRecord[]): string {
  return hashOf(items.map(essenceOf));
}

/** @param idOf ids of properties that the run has created, by the codes in the plan. */
function differenceOf(
  saved: SavedItem,
  item: Item,
  idOf: ReadonlyMap<string, string | undefined>,
  isUnderWay: boolean,
): string | undefined {
  const now = itemJson(item);
  const [before, after] = [essenceOf(withIds(saved, idOf)), essenceOf(now)];
  const sends = (essence: ServiceRecord) => hashOf({ patch: essence['patch'], body: essence['body'] });
  if (hashOf(before) === hashOf(after)) return undefined;
  if (isUnderWay && (!isPending(item) || sends(before) === sends(after))) return undefined;
  if (saved.action !== item.action) return `was planned as ${saved.action}, and is ${item.action} now`;
  return 'is shown or would be sent otherwise now';
}

function withIds(saved: SavedItem, idOf: ReadonlyMap<string, string | undefined>): ServiceRecord {
  const { kind, body, patch } = saved;
  if (kind === 'property') return saved;
  const rename = (name: unknown) => (typeof name === 'string' ? idOf.get(sameName(name)) : undefined) ?? name;
  const renamed = (step: unknown) => (isRecord(step) ? stepWith(step, rename) : step);
  return {
    ...saved,
    body: isRecord(body) ? bodyWith(body, rename) : body,
    patch: Array.isArray(patch) ? patch.map(renamed) : patch,
  };
}

function changed(name: string, details: readonly Detail[], planAgain: string): CliError {
  const named = details.map(({ field, reason }) => `${field}: ${reason}`);
  const lines = firstOf(named, MOST_NAMED).map((line) => `  ${line}`);
  const sentence = [`${name} is not what would be done now; nothing was sent:`, ...lines].join('\n');
  const hint = `Plan again, and look at it: ${planAgain}`;
  const shown = details.slice(0, MOST_NAMED);
  return new CliError('plan_changed', sentence, { exitCode: ExitCode.refused, hint, details: shown });
}

function labelOf({ kind, name }: Pick<Item, 'kind' | 'name'>): string {
  return `${kindText(kind)} ${quote(name)}`;
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}

/** One row of a plan as programs read it; names of what is not there are left out. */
export function itemJson(item: Item): ServiceRecord {
  const { action, kind, name, id, entry, changes, steps, body, cannotChange, reason, seen } = item;
  return withoutHoles({
    action,
    kind,
    name,
    id,
    ...placeJson(entry?.place),
    changes: unlessEmpty(changes),
    patch: unlessEmpty(steps),
    body,
    cannot_change: unlessEmpty(cannotChange),
    reason,
    error: item.error && errorJson(item.error),
    seen,
    gives_full_access: makesAdmin(item) || undefined,
    ...accessJson(accessChangeOf(item)),
    without_roles: unlessEmpty(withoutRolesIn(item)),
  });
}

/** What became, or becomes, of the properties of a user. */
export function accessJson(change: PropertyChange | undefined): ServiceRecord {
  if (change === undefined || change.isOpen) return {};
  const { added, removed, removedRoles } = change;
  return { added, removed, removed_roles: unlessEmpty(removedRoles) };
}

export function unlessEmpty<Value>(list: readonly Value[] = []): readonly Value[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * Where an entry is, as programs read it and as people do. In tables `file_row` is the row of the spreadsheet, of
 * which the header is the first.
 */
export function placeJson(place: Place | undefined): ServiceRecord {
  if (place === undefined) return {};
  const { file, unit, number } = place;
  return { file, [unit === 'row' ? 'file_row' : 'line']: number, place: placeText(place) };
}

/** Why a row failed, or could not be planned, as programs read it. The message says all that the details do. */
export function errorJson(error: CliError): ServiceRecord {
  const { code, details, requestId } = error;
  return withoutHoles({
    code,
    message: errorText(error),
    details: unlessEmpty(details),
    request_id: requestId,
  });
}
