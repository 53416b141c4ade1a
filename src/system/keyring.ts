import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { type Keyring, KeyringFailure } from '../keyring.ts';
import { type Answer, answerOf } from './keyring-answer.ts';
import { failureIn } from './keyring-failure.ts';
import { splitKeyring } from './split-keyring.ts';

/** The name under which the platform's own tools show our entries. */
const SERVICE = 'innctl';

/** What of the process a call needs: the executable that runs it, and where it finds the keyring of the person. */
export interface Surroundings {
  readonly execPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

/** The keyring of this system. Nothing is loaded and nobody is asked before it is used. */
export function systemKeyring(surroundings: Surroundings): Keyring {
  const keyring: Keyring = {
    read: async (account) => (await ask(surroundings, { verb: 'read', account })).secret,
    write: async (account, secret) => {
      // What is no Unicode comes back as something else.
      if (!secret.isWellFormed()) throw new KeyringFailure('refused', 'keeps nothing that is not Unicode');
      await ask(surroundings, { verb: 'write', account, secret });
    },
    remove: async (account) => {
      await ask(surroundings, { verb: 'remove', account });
    },
  };
  return surroundings.platform === 'win32' ? splitKeyring(keyring) : keyring;
}

interface Call {
  readonly verb: 'read' | 'write' | 'remove';
  readonly account: string;
  readonly secret?: string;
}

async function ask({ execPath, env, platform }: Surroundings, call: Call): Promise<Answer> {
  const library = libraryPath();
  const answer = await answerOf(
    { ...call, library, service: SERVICE },
    { execPath, env: neededOf(env), cwd: dirname(library), detached: platform !== 'win32' },
  );
  if (answer.isUnloadable) throw noLibrary();
  if (answer.error !== undefined) throw failureIn(answer.error);
  return answer;
}

function libraryPath(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    throw noLibrary();
  }
}

function noLibrary(): KeyringFailure {
  return new KeyringFailure(
    'missing',
    'cannot be reached: the optional package @napi-rs/keyring is not installed, or has no part for this system',
  );
}

/** How D-Bus, macOS and Windows find the keyring of a person, and Node its libraries. None of them is a secret. */
const needed =
  /^(?:DBUS_\w+|XDG_\w+|HOME|USER|LOGNAME|PATH|LANG|LC_\w+|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_\w+|__CF_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|USERNAME|USERDOMAIN|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/i;

function neededOf(env: Surroundings['env']): Surroundings['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name)));
}
