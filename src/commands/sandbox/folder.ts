import { join } from 'node:path';
import type { LocalSession } from '../../session.ts';

/** Where the sandbox keeps its state. */
export function sandboxFolder({ folders }: Pick<LocalSession, 'folders'>): string {
  return join(folders.state, 'sandbox');
}
