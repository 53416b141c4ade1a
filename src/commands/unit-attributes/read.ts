import { unitAttributes } from '../inventory/kind.ts';
import { listing } from '../inventory/listing.ts';
import { existing, getting } from '../inventory/reading.ts';

/** `unit-attributes list`: GET /inventory/v1/unit-attributes, page by page. */
export const listUnitAttributes = listing(unitAttributes, [
  'unit-attributes list',
  'unit-attributes list --json',
]);

/** `unit-attributes get <id>`: GET /inventory/v1/unit-attributes/{id}. */
export const getUnitAttribute = getting(unitAttributes, [
  'unit-attributes get BWIXREDA',
  'unit-attributes get BWIXREDA --json',
]);

/** `unit-attributes exists <id>`: HEAD /inventory/v1/unit-attributes/{id}. */
export const unitAttributeExists = existing(unitAttributes, [
  'unit-attributes exists BWIXREDA',
  'unit-attributes exists BWIXREDA --json',
]);
