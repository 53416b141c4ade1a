import type { InventoryService } from '../../src/seed/inventory-row.ts';

const never = () => {
  throw new Error('this service rents nothing out');
};

/** A service without unit groups, units and unit attributes. */
export const noInventory: InventoryService = {
  unitGroups: { listAll: never, read: never, readAll: never, create: never, replace: never, delete: never },
  units: { listAll: never, read: never, readAll: never, createAll: never, update: never, delete: never },
  unitAttributes: { listAll: never, read: never, create: never, update: never, delete: never },
};
