import type { Memory } from '../../apply/memory.ts';
import type { Target } from '../../apply/target.ts';
import type { Output } from '../../render/output.ts';
import type { PlanWishes } from './flags.ts';

/** Says so where --prune can find nothing, lest a clean plan looks like a clean service. */
export async function warnOfPrune(
  { prune }: Pick<PlanWishes, 'prune'>,
  memory: Memory,
  target: Target,
  out: Pick<Output, 'warn'>,
): Promise<void> {
  if (!prune || memory.created().length > 0) return;
  const { targetText } = await import('../../apply/target.ts');
  await out.warn(
    '--prune finds nothing to delete: no journal of an earlier run with these files, named in this order, says that it ' +
      `created anything at ${targetText(target)}.`,
  );
}
