import { units } from '../inventory/kind.ts';
import { counting, listing } from '../inventory/listing.ts';
import { existing, getting } from '../inventory/reading.ts';

/** `units list`: GET /inventory/v1/units, page by page. The service shows only active units unless asked. */
export const listUnits = listing(units, [
  'units list --property BER --group DBL',
  'units list --property BER --condition Dirty --occupied false',
  'units list --status All --json',
]);

/** `units get <id>`: GET /inventory/v1/units/{id}. */
export const getUnit = getting(units, [
  'units get --property BER 201',
  'units get --property BER 201 202 --json',
  'units get --property BER 201 --languages all --expand actions',
]);

/** `units exists <id>`: HEAD /inventory/v1/units/{id}. */
export const unitExists = existing(units, ['units exists BER-LIT', 'units exists BER-LIT --json']);

/** `units count`: GET /inventory/v1/units/$count. */
export const countUnits = counting(units, [
  'units count --property BER',
  'units count --property BER --group DBL --occupied --json',
]);
