import type { PatchStep } from '../model/patch.ts';

/** What can be done to a property once and not undone. */
interface LifeAction {
  readonly operation: 'setPropertyLive' | 'archiveProperty' | 'resetProperty';
  /** Its name among the actions that a property shows. */
  readonly action: string;
  /** What the property shows afterwards; of a reset nothing. */
  readonly steps: readonly PatchStep[];
}

export type LifeVerb = 'set-live' | 'archive' | 'reset';

/** The actions by the verbs of their commands. Only the dialect apaleo has them. */
export const lifeActions: Readonly<Record<LifeVerb, LifeAction>> = {
  'set-live': {
    operation: 'setPropertyLive',
    action: 'SetLive',
    steps: [{ op: 'replace', path: '/status', value: 'Live' }],
  },
  archive: {
    operation: 'archiveProperty',
    action: 'Archive',
    steps: [{ op: 'replace', path: '/is_archived', value: true }],
  },
  reset: { operation: 'resetProperty', action: 'Reset', steps: [] },
};
