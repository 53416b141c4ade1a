import { isDeepStrictEqual } from 'node:util';
import { serviceCommand } from '../../cli/described-command.ts';
import { collectList } from '../../cli/flags.ts';
import type { Context } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { differencesBetween, stepOf, unitGroupSpec } from '../../model/diff.ts';
import { unitGroupFields } from '../../model/inventory-fields.ts';
import { recordsIn, type ServiceRecord, withoutHoles } from '../../model/records.ts';
import { type ChangeFlags, type Changes, changesFrom, mergedTexts } from '../inventory/changing.ts';
import { withFieldFlags } from '../inventory/fields.ts';
import { idsMeant, unitGroups } from '../inventory/kind.ts';
import { argumentFor, suggestId } from '../inventory/reading.ts';
import { settleBy, settledByRepeating } from '../lines.ts';
import { withReferences } from '../references.ts';
import { reportWrite } from '../write.ts';

/** The fields that PUT replaces; the service keeps the others. */
const fields = unitGroupFields.filter(({ isFixed }) => isFixed !== true);

/**
 * `unit-groups update <id>`: PUT /inventory/v1/unit-groups/{id}.
 *
 * The group is read with all languages, changed, and sent whole, so that what is not named stays as it is.
 */
export function updateUnitGroup(context: Context) {
  const command = serviceCommand(
    'update',
    'writes',
    [
      'unit-groups update BER-DBL --name de=Doppelzimmer --rank 2',
      'unit-groups update --property BER DBL --description en="Queen bed" --dry-run',
      'unit-groups update BER-DBL --unset name.de,rank',
    ],
    ['ambiguous'],
  )
    .summary('update a unit group')
    .description(
      'Update a unit group; what is not given stays. Property, code, type and connected groups are fixed after creation.',
    )
    .argument('[id]', argumentFor(unitGroups)[1])
    .option('--property <id>', 'find the group by its code at this property')
    .option('--unset <fields>', 'remove these: rank, name.de, description.de (repeatable)', collectList)
    .option('--no-verify', 'do not verify by reading the group back');
  return withFieldFlags(command, fields).action(
    withReferences<ChangeFlags>(context, unitGroups.referred, { named: 'writes', one: updateOne }),
  );
}

async function updateOne(word: string, flags: ChangeFlags, session: Session): Promise<void> {
  const { api, context, out } = session;
  api.permit('replaceUnitGroup', word);
  const changes = changesFrom(flags, fields, unitGroups);
  const [id = word] = await idsMeant(unitGroups, [word], flags.property, session);
  api.permit('replaceUnitGroup', id);
  const view = { languages: ['all'], expand: ['connectedUnitGroups'] };
  const group = await api.unitGroups.read(id, view).catch(suggestId(id, unitGroups, session));
  const [before, after] = [bodyOf(group), changed(bodyOf(group), changes)];
  if (isDeepStrictEqual(before, after)) return out.done('Nothing was changed.', { id, updated: false });
  const steps = differencesBetween(before, after, unitGroupSpec).map((each) => stepOf(each, unitGroupSpec));
  const done = await api.unitGroups
    .replace(id, after, steps, { verify: flags.verify })
    .catch(settleBy(settledByRepeating(context.argv, false)));
  await reportWrite(out, `Updated unit group ${id}`, { id, updated: true }, done);
}

/** The body that leaves a group as it is. */
function bodyOf({ name, description, max_persons, rank, connected_unit_groups: connected }: ServiceRecord) {
  const members = recordsIn(connected).map(({ id, member_count }) => ({ unit_group_id: id, member_count }));
  return withoutHoles({
    ...{ name, description, max_persons },
    rank: rank ?? undefined,
    connected_unit_groups: members.length === 0 ? undefined : members,
  });
}

function changed(body: ServiceRecord, changes: Changes): ServiceRecord {
  const { name, description, ...others } = changes.values;
  return withoutHoles({
    ...body,
    ...others,
    name: mergedTexts('name', body['name'], name, changes),
    description: mergedTexts('description', body['description'], description, changes),
    ...(changes.unset.includes('rank') ? { rank: undefined } : {}),
  });
}
