import { join } from 'node:path';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Result, type Situation } from './cli.ts';
import { parseFault, startSandbox } from './fault-front.ts';

/**
 * Runs the program over undici against a sandbox with faults. `--sandbox` in the same folder shows the state of the sandbox
 * afterwards.
 */
export async function against(
  faults: readonly string[],
  line: string | readonly string[],
  situation: Situation & { readonly folder: string },
): Promise<Result> {
  const state = { folder: join(situation.folder, 'state', 'sandbox'), now: Date.now };
  const sandbox = await startSandbox({ ...state, faults: faults.map(parseFault) });
  const env = { INNCTL_IDENTITY_URL: sandbox.url, INNCTL_BASE_URL: sandbox.url, INNCTL_TOKEN: sandbox.token };
  try {
    return await cli(line, { connect: connectUndici, ...situation, env });
  } finally {
    await sandbox.close();
  }
}
