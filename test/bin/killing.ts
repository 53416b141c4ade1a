import type { DialectName } from '../../src/service/operations.ts';
import type { Strike } from '../soak/gateway.ts';
import { openService } from '../soak/service.ts';
import { binary, type Ended, openHome, type RunOptions } from './home.ts';

/**
 * A home, and a service that knows every write that it carried out, with the people of the sandbox.
 *
 * @param dialect default: the contract.
 */
export async function openKilling(dialect: DialectName = 'contract') {
  const home = await openHome();
  const service = await openService({ folder: home.folder, holds: 'people', sandbox: { dialect } });
  const { gateway } = service;
  const env = { ...service.env, INNCTL_DIALECT: dialect };
  const run = (line: string | readonly string[], options: RunOptions = {}) => {
    const words = typeof line === 'string' ? line.split(' ') : line;
    return home.run([process.execPath, binary, ...words], { env, ...options });
  };
  return {
    folder: home.folder,
    service,
    run,
    /** Runs a line that is killed at a write; returns when everything that it sent has been carried out. */
    async killed(line: string, strike: Omit<Strike, 'kill'>): Promise<Ended> {
      const ended = await run(line, {
        started: (child) => gateway.strike({ ...strike, kill: () => child.kill('SIGKILL') }),
      });
      await gateway.quiet();
      gateway.strike(undefined);
      return ended;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
