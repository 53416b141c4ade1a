import { serviceLine } from '../../change/lines.ts';
import { CliError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { counted } from '../../model/text.ts';
import type { Facts } from '../../print/output.ts';

/** What a result says of the inventory that a clone has. */
interface Copied {
  /** The end of the sentence: ` from BER: 3 unit groups and 41 units`; empty for a property that is no clone. */
  readonly text: string;
  readonly facts: Facts;
  readonly notes: readonly string[];
}

/** How many unit groups and units a property has; no number if it may not be read. */
interface Counts {
  readonly unit_groups: number | undefined;
  readonly units: number | undefined;
}

/**
 * Compares the inventory of a clone with that of its source; a difference is a warning.
 *
 * @param isLate the clone cannot be read yet: nothing is compared.
 */
export async function copiedInventory(
  source: string | undefined,
  id: string,
  isLate: boolean,
  session: Session,
): Promise<Copied> {
  if (source === undefined) return { text: '', facts: {}, notes: [] };
  const { out, globals } = session;
  const notes = [
    `People are not copied: no user of ${source} has access to ${id} yet. To grant it: ${serviceLine(globals, 'users', 'grant')} E-MAIL --property ${id}`,
  ];
  if (isLate) return { text: ` from ${source}`, facts: { source }, notes };
  const there = await countsOf(source, session);
  const here = await countsOf(id, session);
  const failure = there.failure ?? here.failure;
  if (failure !== undefined)
    await out.warn(`Could not compare the inventory of ${source} and ${id}. ${failure.message}`);
  else if (there.unit_groups !== here.unit_groups || there.units !== here.units)
    await out.warn(
      `${source} has ${inventoryText(there)}, and ${id} has ${inventoryText(here)}: not all may be visible yet.`,
    );
  const facts = { source, inventory: shown(here), source_inventory: shown(there) };
  const text = here.failure === undefined ? `: ${inventoryText(here)}` : '';
  return { text: ` from ${source}${text}`, facts, notes };
}

async function countsOf(id: string, { api }: Session): Promise<Counts & { readonly failure?: CliError }> {
  try {
    const unitGroups = await api.unitGroups.count({ property_id: id });
    return { unit_groups: unitGroups, units: await api.units.count({ property_id: id }) };
  } catch (failure) {
    if (!(failure instanceof CliError)) throw failure;
    return { unit_groups: undefined, units: undefined, failure };
  }
}

function shown({ unit_groups, units }: Counts) {
  return unit_groups === undefined ? null : { unit_groups, units };
}

/** `3 unit groups and 41 units` */
function inventoryText({ unit_groups = 0, units = 0 }: Counts): string {
  return `${counted(unit_groups, 'unit group')} and ${counted(units, 'unit')}`;
}
