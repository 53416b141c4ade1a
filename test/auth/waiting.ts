import { readdirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

/** Resolves when the work waits for the profile lock of another process, or has ended without waiting. */
export async function endedOrWaiting(
  work: Promise<unknown>,
  { folder, profile }: { readonly folder: string; readonly profile: string },
): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  const waits = (name: string) => name.startsWith(`credentials.json.refresh-${profile}.lock.`);
  while (!isOver && !readdirSync(folder).some(waits)) await turn();
}
