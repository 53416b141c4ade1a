import { OutcomeUnknown } from '../errors.ts';
import { bodyOf } from '../manifest/body.ts';
import type { Entry } from '../manifest/entry.ts';
import { hashOf } from './canonical.ts';
import type { Item } from './item.ts';
import { isFailing, isUsable } from './key-age.ts';
import { isInDoubt, type RowMemory } from './memory.ts';
import type { PlanOptions } from './plan-options.ts';
import { pastText } from './unseen.ts';
import { wasAnswered } from './visibility.ts';

/** Whether an earlier creation of the very same is in doubt, and its key goes out again, which is safe. */
export function isSettledByKey(entry: Entry, options: PlanOptions): boolean {
  const row = doubtfulCreation(entry, options);
  if (row?.keyAge === undefined) return false;
  return isUsable(row.keyAge, options.now()) && row.hash === hashOf(bodyOf(entry));
}

/** Whether it is worth a wait: it may show later, or an earlier creation may still be under way. */
export function isOpen({ action, error, entry }: Item, options: PlanOptions): boolean {
  if (error !== undefined) return error instanceof OutcomeUnknown;
  return (
    entry !== undefined && (action === 'create' || action === 'cannot_tell') && mayComeTwice(entry, options)
  );
}

/** Whether the service stores its failure under the key of an earlier creation: where a look shows nothing, the next has a new one. */
export function isAnsweredByFailure(entry: Entry, options: PlanOptions): boolean {
  const { keyAge, state } = doubtfulCreation(entry, options) ?? {};
  return (
    state === 'unknown' &&
    keyAge !== undefined &&
    isFailing(keyAge, options.now()) &&
    isSettledByKey(entry, options)
  );
}

/** Whether an earlier creation may still be carried out beside the next one, under another key. */
function mayComeTwice(entry: Entry, options: PlanOptions): boolean {
  if (doubtfulCreation(entry, options) === undefined) return false;
  return !isSettledByKey(entry, options) || isAnsweredByFailure(entry, options);
}

function doubtfulCreation({ name }: Entry, { memory }: PlanOptions): RowMemory | undefined {
  const row = memory.recall('property', name);
  return isInDoubt(row) && row.action === 'create' ? row : undefined;
}

/** What a journal knows of a property that is to be created, because it is not there for certain. */
export function pastOf(entry: Entry, options: PlanOptions): string | undefined {
  const row = options.memory.recall('property', entry.name);
  if (row?.action === 'create' && wasAnswered(row))
    return `${pastText(row)} by run ${row.runId}, and deleted since: it is created again, under a new key`;
  if (row === undefined || !mayComeTwice(entry, options)) return undefined;
  return `run ${row.runId} may have created it; lists are read again before it is sent`;
}
