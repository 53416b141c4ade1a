import { accessJson, changedJson, errorJson, placeJson } from '../../apply/item-json.ts';
import type { Result } from '../../apply/result.ts';
import type { Page, ServiceRecord } from '../../records.ts';
import type { Shape } from '../../render/output.ts';

const tones = new Map([
  ['failed', 'error'],
  ['unknown', 'error'],
  ['not attempted', 'warning'],
] as const);

/** How the rows of a run are listed. */
export const resultShape: Shape = {
  noun: ['row', 'rows'],
  columns: [
    { field: 'outcome', header: 'Outcome', format: 'words', tones },
    { field: 'action', header: 'Action', format: 'words' },
    { field: 'kind', header: 'Kind' },
    { field: 'name', header: 'Name' },
    { field: 'id', header: 'Id' },
    { field: 'place', header: 'Place' },
  ],
  id: 'name',
  // The end of the run tells errors, those of several rows once.
  others: [
    ...['row', 'file', 'line', 'file_row', 'changed_in_file'],
    ...['added', 'removed', 'removed_roles', 'without_roles'],
    ...['error.message', 'error.code', 'error.details', 'error.request_id'],
  ],
  ofWrites: true,
};

const PAGE = 1_000;

/** The rows of a run as records, numbered from 1 in the order of the files. */
export async function* resultPages(results: readonly Result[]): AsyncGenerator<Page> {
  for (let start = 0; start === 0 || start < results.length; start += PAGE) {
    const items = results
      .slice(start, start + PAGE)
      .map((result, index) => recordOf(result, start + index + 1));
    yield { items, total: results.length, truncated: false };
  }
}

function recordOf({ item, outcome, id, access, error }: Result, row: number): ServiceRecord {
  const { kind, name, action, entry } = item;
  return {
    row,
    ...placeJson(entry?.place),
    kind,
    name,
    action,
    outcome,
    ...(id === undefined ? {} : { id }),
    ...accessJson(access),
    ...(access === undefined || access.withoutRoles.length === 0
      ? {}
      : { without_roles: access.withoutRoles }),
    ...changedJson(item.changedInFile),
    ...(error === undefined ? {} : { error: errorJson(error) }),
  };
}
