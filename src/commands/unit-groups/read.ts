import { unitGroups } from '../inventory/kind.ts';
import { counting, listing } from '../inventory/listing.ts';
import { existing, getting } from '../inventory/reading.ts';

/** `unit-groups list`: GET /inventory/v1/unit-groups, page by page. */
export const listUnitGroups = listing(unitGroups, [
  'unit-groups list --property BER',
  'unit-groups list --type BedRoom,MeetingRoom --json',
  'unit-groups list --expand connectedUnitGroups -o ndjson',
]);

/** `unit-groups get <id>`: GET /inventory/v1/unit-groups/{id}. */
export const getUnitGroup = getting(unitGroups, [
  'unit-groups get BER-DBL',
  'unit-groups get --property BER DBL --languages all',
  'unit-groups get BER-DBL --expand connectedUnitGroups --json',
]);

/** `unit-groups exists <id>`: HEAD /inventory/v1/unit-groups/{id}. */
export const unitGroupExists = existing(unitGroups, [
  'unit-groups exists BER-DBL',
  'unit-groups exists BER-DBL --json',
]);

/** `unit-groups count`: GET /inventory/v1/unit-groups/$count. */
export const countUnitGroups = counting(unitGroups, [
  'unit-groups count --property BER',
  'unit-groups count --type BedRoom --json',
]);
