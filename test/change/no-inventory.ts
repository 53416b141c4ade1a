import type { InventoryService } from '../../src/change/inventory-row.ts';
import type { Page } from '../../src/model/records.ts';

const never = () => {
  throw new Error('this service rents nothing out');
};

async function* nothing(): AsyncGenerator<Page> {
  yield { items: [], total: 0, truncated: false };
}

/** A service without unit groups, units and unit attributes. */
export const noInventory: InventoryService = {
  unitGroups: { listAll: nothing, read: never, readAll: never, create: never, replace: never, delete: never },
  units: {
    ...{ listAll: nothing, read: never, readAll: never, create: never },
    ...{ createAll: never, update: never, updateAll: never, archive: never, delete: never },
  },
  unitAttributes: { listAll: nothing, read: never, create: never, update: never, delete: never },
};
