import type { Shape } from '../../render/output.ts';

/** How settings are listed. */
export const settingShape: Shape = {
  noun: ['setting', 'settings'],
  columns: [
    { field: 'key', header: 'Setting' },
    { field: 'value', header: 'Value' },
    { field: 'source', header: 'Source' },
  ],
};
