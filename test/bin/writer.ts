import { changeCacheFile } from '../../src/commands/remember.ts';
import { updateConfig, withProfile } from '../../src/config/file.ts';
import { createJournalFile } from '../../src/journal/file.ts';
import { lineText, VERSION } from '../../src/journal/line.ts';
import { openEvidence } from '../../src/people/evidence.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { hotel } from '../sandbox/hotel.ts';

/** Something that commands write to. */
export type Store = 'settings' | 'evidence' | 'sandbox' | 'journal' | 'cache';

interface Writer {
  /** Makes one change. @returns why it was refused, if it is a text. */
  readonly write: (name: string) => Promise<unknown>;
  readonly close?: () => Promise<void>;
}

const { signal } = new AbortController();

const writers: Readonly<Record<Store, (folder: string) => Writer | Promise<Writer>>> = {
  settings: (folder) => ({
    write: (name) => updateConfig(folder, (document) => withProfile(document, name, {}), signal),
  }),
  evidence: (folder) => ({
    write: async (name) => {
      const subject = { person: { email: `${name.split('_')[0]}@example.com` }, before: { enabled: true } };
      const evidence = await openEvidence(folder, { job: 'people offboard' }, [subject], {
        ...{ uid: process.geteuid?.(), now: Date.now, signal, clean: String },
      });
      process.stdout.write(`begun ${name}\n`);
      evidence.finish({ ...subject, after: { enabled: false, change: name } });
      evidence.close();
    },
  }),
  sandbox: async (folder) => {
    const { url, close } = await startSandbox({ folder, now: Date.now });
    const write = async (name: string) => {
      const response = await fetch(`${url}/inventory/v1/properties`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(hotel(name)),
      });
      const text = await response.text();
      return response.status === 201 && text === `{"id":"${name}"}`
        ? undefined
        : `${response.status} ${text}`;
    };
    return { write, close };
  },
  journal: (folder) => {
    const file = createJournalFile(`${folder}/journal.ndjson`);
    const whose = { identity_url: '', base_url: '', account: '' };
    return {
      write: (name) => {
        const line = { at: Date.now(), run: name };
        const start = {
          is: 'start',
          ...line,
          version: VERSION,
          command: 'apply',
          files: [],
          ...whose,
        } as const;
        const about = { kind: 'property', action: 'create', does: 'create', rows: [{ name }] } as const;
        const send = { is: 'send', ...line, id: name, by: '', ...about } as const;
        return file.append(() => lineText(start, String) + lineText(send, String));
      },
    };
  },
  // Replaces a long list of another process by one of its own, or its own list by none.
  cache: (folder) => ({
    write: async (name) => {
      const [owner = ''] = name.split('_');
      const listOf = (each: string) => `${each}_\t\n`.repeat(2_000);
      try {
        changeCacheFile(folder, 'chain', 'roles', (before) => {
          const [former = ''] = before.split('_');
          if (before !== '' && before !== listOf(former))
            throw new RangeError(`torn: ${before.slice(0, 100)}`);
          return before === listOf(owner) ? '' : listOf(owner);
        });
        return true;
      } catch (error) {
        if (error instanceof RangeError) throw error;
        return String(error);
      }
    },
  }),
};

/**
 * `writer.ts <store> <folder> <name> <count>`: makes this many changes one after another, and says of each its name, or why
 * it was refused. Then it closes the store.
 */
async function main(store: string, folder = '', name = '', count = ''): Promise<void> {
  const { write, close } = await writers[store as Store](folder);
  for (let index = 0; index < Number(count); index += 1) {
    const refused = await write(`${name}_${index}`);
    process.stdout.write(typeof refused === 'string' ? `refused ${refused}\n` : `${name}_${index}\n`);
  }
  await close?.();
}

// Turns the file size limit into a write error (EFBIG) that is reported, rather than a fatal signal.
process.on('SIGXFSZ', () => {});
const [, , store = '', ...rest] = process.argv;
main(store, ...rest).catch((error) => {
  process.stdout.write(`${error.code}: ${error.message}\n`);
  process.exitCode = error.exitCode ?? 1;
});
